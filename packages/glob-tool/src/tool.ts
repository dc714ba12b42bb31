// The tool: finds files; for a model, shares out the room of the answer between directories.

import { ignoresIn } from "@ikigai/git-files/ignore";
import { BraceLimitError, glob } from "@ikigai/posix/glob";
import { argumentAliases } from "@ikigai/protocol";
import { describeMost, districtOf, pathAsMeant, readSpelling, SearchGaps, shareOut } from "@ikigai/tool-files";
import { defineTool, monotonicMs, ToolFailure } from "@ikigai/tool-sdk";
import { nothingHint } from "./nothing-hint.ts";
import { output, parameters } from "./schema.ts";

export const globTool = defineTool({
  name: "glob",
  description:
    "Find files by a glob pattern: '**/*.ts' at any depth, '*.ts' only directly in path. Patterns with ** match hidden files, and leave out what git ignores unless path or pattern names it; the hint says so. To find files by content use grep; for sizes and dates, ls in bash.",
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
  warmUp: () => toText(take(glob("/?"), 0, false)),
  // Paths are separated, not terminated, by newlines: after truncation the last one must have none.
  recount: ({ output }) => (output?.endsWith("\n") ? { output: output.slice(0, -1) } : {}),
  run({ pattern, path: given = "", format = "text" }, { maxOutputBytes, answerBytes, stopAtMs }) {
    checkPattern(given + pattern);
    const { path, hint: spelling } = readSpelling(pathAsMeant(given));
    const isShared = Number.isFinite(answerBytes);
    const gaps = new SearchGaps(() => monotonicMs() >= stopAtMs);
    const options = { base: path, onDirectory: gaps.onDirectory };
    try {
      const found = take(
        glob(pattern, isShared ? { ...options, ignores: ignoresIn } : options),
        maxOutputBytes,
        isShared,
      );
      const missing = gaps.describe();
      const skipped = gaps.describeSkipped();
      const hints = [
        ...(spelling === undefined ? [] : [spelling]),
        ...missing,
        ...(found.count > 0 ? [] : nothingHint({ pattern, path, isShared }, gaps)),
        ...(skipped ? [skipped] : []),
      ];
      const shown = isShared ? share(found, path, maxOutputBytes - frameBytes - hints.join(" ").length) : found;
      const hint = [...hints, ...(shown.hint === undefined ? [] : [shown.hint])].join(" ");
      const isCut = missing.length > 0 || shown.hint !== undefined;
      const beside = { ...(isCut && { truncated: true }), ...(hint !== "" && { hint }) };
      return { ...(format === "json" ? { files: shown.paths, count: found.count } : toText(shown)), ...beside };
    } catch (error) {
      throw toFailure(error);
    }
  },
});

interface Found {
  readonly paths: string[];
  readonly count: number;
  /** What is not shown. */
  readonly hint?: string | undefined;
}

/** The most paths that share an answer: many more than it has room for. */
const maxShared = 100_000;

/** Counts all paths and keeps one more than fits into `maxBytes`, to trigger truncation; of those that share an answer, many more. */
function take(found: Iterable<string | Buffer>, maxBytes: number, isShared: boolean): Found {
  const paths: string[] = [];
  let count = 0;
  let length = 0;
  for (const path of found) {
    count++;
    if (isShared ? paths.length >= maxShared : length > maxBytes) continue;
    length += path.length;
    paths.push(String(path));
  }
  return { paths, count };
}

/** What an answer takes besides paths and hints, in bytes; and what the hint about missing paths may take. */
const frameBytes = 100;
const hintBytes = 500;

/** Chooses the paths that are shown: if not all fit, some of each directory. */
function share({ paths, count }: Found, base: string, room: number): Found {
  const cost = (path: string) => Buffer.byteLength(JSON.stringify(path)) + 1;
  const all = paths.reduce((sum, path) => sum + cost(path), 0);
  if (all <= room && count === paths.length) return { paths, count };
  const districts = new Map<string, string[]>();
  for (const path of paths) {
    const district = districtOf(path, base);
    const others = districts.get(district);
    if (others) others.push(path);
    else districts.set(district, [path]);
  }
  const groups = [...districts.values()];
  const sizes = groups.map(({ length }) => length);
  const { counts } = shareOut(sizes, Math.max(room - hintBytes, 0), (group, item) => cost(groups[group]?.[item] ?? ""));
  const shown = new Set(groups.flatMap((group, index) => group.slice(0, counts[index])));
  const left = [...districts.keys()].map((name, index) => [name, (sizes[index] ?? 0) - (counts[index] ?? 0)] as const);
  const missing = new Map(left.filter(([, size]) => size > 0));
  const where = missing.size > 0 ? `, ${describeMost(missing)}` : "";
  const hint = `not shown: ${count - shown.size} of ${count} paths${where}; narrow path or pattern.`;
  return { paths: paths.filter((path) => shown.has(path)), count, hint };
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
