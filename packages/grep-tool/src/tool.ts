import { compile, PatternError, type Regex } from "@ikigai/posix-ere";
import { BraceLimitError, SearchGaps } from "@ikigai/posix-glob";
import { argumentAliases } from "@ikigai/protocol";
import { defineTool, monotonicMs, ToolFailure } from "@ikigai/tool-sdk";
import { hintsFor } from "./hints.ts";
import { listFiles, type Place } from "./list-files.ts";
import type { Match, SearchOptions } from "./match-list.ts";
import { dialectHints, refusalHint } from "./pattern-hint.ts";
import { output, parameters } from "./schema.ts";
import { type Found, searchFiles } from "./search-files.ts";

export const grep = defineTool({
  name: "grep",
  description: "Search for pattern in files using regular expressions",
  parameters,
  output,
  annotations: { readOnlyHint: true, openWorldHint: false },
  ikigai: {
    prestart: true,
    serves: true,
    answerBytes: 15_000,
    access: { kind: "search-files", path: "path", pattern: "glob" },
  },
  aliases: argumentAliases["search-files"],
  async run({ pattern, glob = "", path = "", ignore_case: ignoreCase = false, format = "text" }, context) {
    // First, so that an invalid pattern is an error even if there are no files.
    const regex = compilePattern(pattern, ignoreCase);
    const { maxOutputBytes: maxBytes, stopAtMs } = context;
    const gaps = new SearchGaps(() => monotonicMs() >= stopAtMs);
    const found = await searchPlace({ glob, path }, gaps, regex, { pattern, ignoreCase, maxBytes, stopAtMs });
    const { matches, count, isCut } = found;
    const hint = hintsFor(pattern, { glob, path }, found, gaps).join(" ");
    const isTruncated = matches.length < count || isCut || gaps.describe().length > 0;
    const answer = { count, ...(isTruncated && { truncated: true }), ...(hint !== "" && { hint }) };
    return format === "json"
      ? { ...answer, matches: matches.map(toItem) }
      : { ...answer, output: matches.map(toLine).join("\n") };
  },
});

function compilePattern(pattern: string, ignoreCase: boolean): Regex {
  try {
    return compile(pattern, { ignoreCase });
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    const hint = dialectHints(pattern).join(" ") || refusalHint(pattern);
    throw new ToolFailure("INVALID_PATTERN", `Invalid pattern: ${error.message}`, hint === undefined ? {} : { hint });
  }
}

async function searchPlace(place: Place, gaps: SearchGaps, regex: Regex, options: SearchOptions): Promise<Found> {
  try {
    return await searchFiles(listFiles(place, gaps), regex, options);
  } catch (error) {
    if (!(error instanceof BraceLimitError)) throw error;
    throw new ToolFailure("INVALID_PATTERN", "Invalid glob pattern", {
      hint: `${error.message}. Make several searches.`,
    });
  }
}

function toLine({ file, line, content }: Match): string {
  return line === 0 ? `${file}: binary file matches` : `${file}:${line}: ${content}`;
}

function toItem(match: Match): Match | { file: string; binary: true } {
  return match.line === 0 ? { file: match.file, binary: true } : match;
}
