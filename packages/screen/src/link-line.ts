// Links in a drawn line: URLs, and files of the project that exist.

import { statSync } from "node:fs";
import { hostname } from "node:os";
import { isAbsolute, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { withoutEnd } from "@ikigai/system";
import { styledWidth } from "./styled-text.ts";

/** Adds links to a drawn line. What is linked is always what is shown. */
export type LinkLine = (line: string, columns: number) => string;

/** The links of what stays on the screen, unless the user wants none. The Linux console would print the sequences. */
export function linksFor(
  { env, places }: { readonly env: NodeJS.ProcessEnv; readonly places: { readonly projectDir: string } },
  isWanted = true,
): LinkLine {
  return isWanted && env.TERM !== "linux" ? linkLinesIn(places.projectDir) : (line) => line;
}

/** Looked up in one line at most. */
const maxPaths = 4;

/** A URL, or a path with a directory or a line number. Neither contains control sequences. */
const linkable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a path may follow a style
  /\bhttps?:\/\/[!#-&(-;=?-_a-~]+|(?<=^|[\s("'│]|\u001b\[[\d;]*m)(?:\.{1,2}\/)*[\w@-][\w@.+-]*(?:(?:\/[\w@.+-]+)+(?::\d+)?|\.\w+:\d+)/g;

/** Links URLs, and files of the project that exist: `src/parser.ts:42`. */
export function linkLinesIn(projectDir: string): LinkLine {
  return (line, columns) => {
    if (!line.includes("/") && !line.includes(":")) return line;
    let paths = 0;
    return line.replace(linkable, (found: string, offset: number) => {
      const shown = /^https?:/.test(found) ? withoutPunctuation(found) : found;
      // It may continue in the next row.
      const isCut = offset + found.length >= withoutStyles(line) && styledWidth(line) >= columns;
      const target = isCut
        ? undefined
        : /^https?:/.test(shown)
          ? shown
          : paths++ < maxPaths
            ? fileUrl(shown, projectDir)
            : undefined;
      if (target === undefined) return found;
      return `\u001b]8;;${target}\u001b\\${shown}\u001b]8;;\u001b\\${found.slice(shown.length)}`;
    });
  };
}

/** A sentence continues after a URL, and a bracket that is not opened in it closes one before it. */
function withoutPunctuation(url: string): string {
  const bare = withoutEnd(url, ".,;:!?*_");
  return bare.endsWith(")") && !bare.includes("(") ? withoutPunctuation(bare.slice(0, -1)) : bare;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
const stylesAtEnd = /(?:\u001b\[[\d;]*m)+$/;

/** The length of a line without the styles at its end. */
function withoutStyles(line: string): number {
  return line.length - (stylesAtEnd.exec(line)?.[0].length ?? 0);
}

/** The URL of a file below the project, with the line as its fragment, as kitty reads it; undefined if it does not exist. */
function fileUrl(shown: string, projectDir: string): string | undefined {
  const [, path = shown, line] = /^(.*?)(?::(\d+))?$/.exec(shown) ?? [];
  const absolute = join(projectDir, path);
  const below = relative(projectDir, absolute);
  if (below.startsWith("..") || isAbsolute(below)) return undefined;
  try {
    if (!statSync(absolute).isFile()) return undefined;
  } catch {
    return undefined;
  }
  const url = pathToFileURL(absolute);
  // Over ssh, the terminal must not open its own file of this name.
  return `file://${encodeURIComponent(hostname())}${url.pathname}${line === undefined ? "" : `#${line}`}`;
}
