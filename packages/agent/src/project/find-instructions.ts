import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "@ikigai/core";
import { readTextFile } from "../config/read-text-file.ts";
import { realTarget } from "../permission/real-target.ts";

/** How much of one file is told to the model, in bytes: all of it goes into every request. */
const maxBytes = 32_768;

const names = ["AGENTS.md", "CLAUDE.md"];

/** A file that tells an agent how to work here. */
export interface Instructions {
  readonly path: string;
  readonly text: string;
}

/**
 * What the user (`AGENTS.md` in their own directory) and the project want an agent to know: the project's from its root, the
 * nearest directory with a `.git`, down to the one work is done in, as the nearer says more. In each directory CLAUDE.md
 * counts where there is no AGENTS.md.
 */
export function findInstructions(cwd: string, home?: string): Instructions[] {
  const directories = [...(home === undefined ? [] : [home]), ...pathTo(cwd)];
  return directories.flatMap((directory) => {
    for (const name of names) {
      const text = read(directory, name);
      if (text !== undefined) return [{ path: join(directory, name), text }];
    }
    return [];
  });
}

/** The directories from a project's root to one in it; only that one when no root is found. */
function pathTo(cwd: string): string[] {
  const path: string[] = [];
  for (let directory = cwd; ; directory = dirname(directory)) {
    path.unshift(directory);
    if (existsSync(join(directory, ".git"))) return path;
    if (dirname(directory) === directory) return [cwd];
  }
}

/** A link out of the directory is not followed: what it leads to would be sent to the provider unasked. */
function read(directory: string, name: string): string | undefined {
  const path = realTarget(name, directory);
  const real = realTarget(".", directory);
  if (path === undefined || real === undefined || !isInside(path, real)) return undefined;
  try {
    const { text = "", cut = false } = readTextFile(path, maxBytes) ?? {};
    if (text.trim() === "") return undefined;
    const note = cut ? `\n(The rest of ${basename(name)} is left out: it is longer than ${maxBytes} bytes.)` : "";
    return `${text.trim()}${note}`;
  } catch {
    return undefined;
  }
}
