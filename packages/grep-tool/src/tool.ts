import { compile, PatternError, type Regex } from "@ikigai/posix-ere";
import { defineTool, ToolFailure } from "@ikigai/tool-sdk";
import { listFiles } from "./list-files.ts";
import type { Match } from "./match-list.ts";
import { output, parameters } from "./schema.ts";
import { searchFiles } from "./search-files.ts";

export const grep = defineTool({
  name: "grep",
  description: "Search for pattern in files using regular expressions",
  parameters,
  output,
  annotations: { readOnlyHint: true, openWorldHint: false },
  ikigai: { prestart: true },
  async run({ pattern, glob, path, ignore_case: ignoreCase = false, format = "text" }, { maxOutputBytes }) {
    // Before any file is looked for: a bad pattern is an error also where there is nothing to search.
    const regex = compilePattern(pattern, ignoreCase);
    const options = { pattern, ignoreCase, maxBytes: maxOutputBytes };
    const { matches, count } = await searchFiles(listFiles(glob, path), regex, options);
    const answer = { count, ...(matches.length < count && { truncated: true }) };
    return format === "json" ? { ...answer, matches } : { ...answer, output: matches.map(toLine).join("\n") };
  },
});

function compilePattern(pattern: string, ignoreCase: boolean): Regex {
  try {
    return compile(pattern, { ignoreCase });
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ToolFailure("INVALID_PATTERN", `Invalid pattern: ${error.message}`);
  }
}

function toLine({ file, line, content }: Match): string {
  return `${file}:${line}: ${content}`;
}
