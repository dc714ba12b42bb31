// A call of a plain tool: its arguments become words and variables of its program, and lines of stderr become reports. What it
// prints becomes the answer in `outcome.ts`.

import {
  type JsonObject,
  type PlainCall,
  type PlainInput,
  type Progress,
  plainInput,
  plainVariables,
} from "@ikigai/protocol";
import { findProgram, lineReader } from "@ikigai/system";
import type { RegisteredTool } from "../registry/registry.ts";

/** The answer of a call that is not started. */
export interface PlainRefusal {
  readonly error: string;
  readonly error_code: "INVALID_PARAMS" | "MISSING_CREDENTIALS";
}

/** Decides what the program gets. @param args of the call; `undefined` if they are not an object. */
export function plainStart(
  { name, schema }: RegisteredTool,
  plain: PlainCall,
  args: JsonObject | undefined,
  { env = process.env, projectDir }: { readonly env?: NodeJS.ProcessEnv | undefined; readonly projectDir: string },
): PlainInput | PlainRefusal {
  if (args === undefined) return { error: "expected a JSON object", error_code: "INVALID_PARAMS" };
  const missing = plain.requiredEnv?.find((variable) => !env[variable]);
  if (missing !== undefined)
    return { error: `${name} needs the variable ${missing}, which is not set`, error_code: "MISSING_CREDENTIALS" };
  const input = plainInput(plain, schema.parameters, args);
  if ("problem" in input) return { error: input.problem, error_code: "INVALID_PARAMS" };
  const hasArgc = findProgram("argc", env.PATH, projectDir) !== undefined;
  return { ...input, variables: plainVariables(input, args, hasArgc) };
}

/** Longer lines of stderr are no reports, in bytes. */
const maxReportBytes = 8_192;
/** The beginning of a line that is a report. */
export const reportMark = "::progress ";

/** Returns a function that takes stderr, and reports each line that begins with `::progress `. */
export function plainProgress(report: (progress: Progress) => void): (chunk: Buffer) => void {
  let count = 0;
  const { add } = lineReader(maxReportBytes, (line) => {
    const text = line.toString("utf8");
    if (text.startsWith(reportMark)) report({ progress: ++count, message: text.slice(reportMark.length).trim() });
  });
  return add;
}
