import {
  BraceLimitError,
  describeBelow,
  describeHidden,
  describeMissing,
  glob,
  quotePath,
  SearchGaps,
} from "@ikigai/posix-glob";
import { argumentAliases } from "@ikigai/protocol";
import { defineTool, monotonicMs, ToolFailure } from "@ikigai/tool-sdk";
import { output, parameters } from "./schema.ts";

export const globTool = defineTool({
  name: "glob",
  description: "Find files matching a glob pattern",
  parameters,
  output,
  annotations: { readOnlyHint: true, openWorldHint: false },
  ikigai: {
    prestart: true,
    serves: true,
    answerBytes: 15_000,
    access: { kind: "list-files", path: "path", pattern: "pattern" },
  },
  aliases: argumentAliases["list-files"],
  warmUp: () => toText(take(glob("/?"), 0)),
  // Paths are separated, not terminated, by newlines: after truncation the last one must have none.
  recount: ({ output }) => (output?.endsWith("\n") ? { output: output.slice(0, -1) } : {}),
  run({ pattern, path = "", format = "text" }, { maxOutputBytes, stopAtMs }) {
    checkPattern(path + pattern);
    const gaps = new SearchGaps(() => monotonicMs() >= stopAtMs);
    try {
      const found = take(glob(pattern, { base: path, onDirectory: gaps.onDirectory }), maxOutputBytes);
      const missing = gaps.describe();
      const hint = [...missing, ...nothingHint(pattern, path, found.count, gaps)].join(" ");
      const beside = { ...(missing.length > 0 && { truncated: true }), ...(hint !== "" && { hint }) };
      return { ...(format === "json" ? { files: found.paths, count: found.count } : toText(found)), ...beside };
    } catch (error) {
      throw toFailure(error);
    }
  },
});

/** If nothing was found: the directory is missing, `**` skipped hidden ones, or a pattern without a slash matches only directly in it. */
function nothingHint(pattern: string, path: string, count: number, gaps: SearchGaps): string[] {
  if (count > 0) return [];
  const missing = describeMissing(path);
  if (missing !== undefined) return [missing];
  const hidden = gaps.isStopped ? undefined : describeHidden(pattern, path, gaps.onDirectory);
  if (hidden !== undefined) return [hidden];
  if (pattern === "" || pattern.includes("/")) return [];
  const below = describeBelow(path);
  return below ? [`searched ${quotePath(path)}; ${below}: pattern '**/${pattern}' does`] : [];
}

interface Found {
  readonly paths: string[];
  readonly count: number;
}

/** Counts all paths and keeps one more than fits into `maxBytes`, to trigger truncation. */
function take(found: Iterable<string | Buffer>, maxBytes: number): Found {
  const paths: string[] = [];
  let count = 0;
  let length = 0;
  for (const path of found) {
    count++;
    if (length > maxBytes) continue;
    length += path.length;
    paths.push(String(path));
  }
  return { paths, count };
}

function toText({ paths, count }: Found) {
  return { output: paths.join("\n"), count };
}

function checkPattern(text: string): void {
  if (text.includes("\0")) throw invalid("It contains a NUL character, which file names cannot.");
  if (!text.isWellFormed()) throw invalid("It contains half of a surrogate pair, which is not a character.");
}

function invalid(hint: string): ToolFailure {
  return new ToolFailure("INVALID_PATTERN", "Invalid glob pattern", { hint });
}

function toFailure(error: unknown): unknown {
  if (error instanceof BraceLimitError) return invalid(`${error.message}. Make several searches.`);
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOMEM") return new ToolFailure("OUT_OF_MEMORY", "Out of memory during glob");
  // Without a host's limit the result may exceed the longest string.
  if (error instanceof RangeError) {
    return new ToolFailure("OUT_OF_MEMORY", "Out of memory during glob", { hint: "Too many paths match." });
  }
  return code ? new ToolFailure("READ_ERROR", "Read error during glob", { hint: message }) : error;
}
