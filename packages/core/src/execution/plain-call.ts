import { type JsonObject, type PlainCall, type PlainInput, type Progress, plainInput } from "@ikigai/protocol";
import { findProgram, type HeadAndTail, lineReader } from "@ikigai/system";
import type { Exit } from "../process/start-process.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import type { CallOptions } from "./call-options.ts";
import { type Outcome, successJson } from "./outcome.ts";
import type { OutputCollector } from "./output-collector.ts";

/*
 * A call of a plain tool: the arguments become words and variables of its program, lines of stderr become reports, and what it
 * has printed becomes the answer.
 */

/** The answer of a call that is not started. */
export interface PlainRefusal {
  readonly error: string;
  readonly error_code: "INVALID_PARAMS" | "MISSING_CREDENTIALS";
}

/** The longest text of all arguments that is passed as a variable, in bytes. */
const maxArgumentsBytes = 100_000;

/** What scripts that use argc evaluate, where argc is not installed: a function for bash, as bash exports it. */
const argcFunction = { "BASH_FUNC_argc%%": `() { printf '%s\\n' "$IKIGAI_ARGC"; }` };

/** Decides what the program gets. @param args of the call; `undefined` if they are not an object. */
export function plainStart(
  { name, schema }: RegisteredTool,
  plain: PlainCall,
  args: JsonObject | undefined,
  { env = process.env, projectDir }: CallOptions,
): PlainInput | PlainRefusal {
  if (args === undefined) return { error: "expected a JSON object", error_code: "INVALID_PARAMS" };
  const missing = plain.requiredEnv?.find((variable) => !env[variable]);
  if (missing !== undefined)
    return { error: `${name} needs the variable ${missing}, which is not set`, error_code: "MISSING_CREDENTIALS" };
  const input = plainInput(plain, schema.parameters, args);
  if ("problem" in input) return { error: input.problem, error_code: "INVALID_PARAMS" };
  const text = JSON.stringify(args);
  const hasArgc = findProgram("argc", env.PATH, projectDir) !== undefined;
  return {
    ...input,
    variables: {
      ...input.variables,
      // The name under which scripts written for llm-functions print their answer.
      LLM_OUTPUT: "/dev/stdout",
      ...(Buffer.byteLength(text) <= maxArgumentsBytes && { IKIGAI_ARGUMENTS: text }),
      ...(!hasArgc &&
        Buffer.byteLength(input.script) <= maxArgumentsBytes && { ...argcFunction, IKIGAI_ARGC: input.script }),
    },
  };
}

/** Longer lines of stderr are no reports, in bytes. */
const maxReportBytes = 8_192;
const reportMark = "::progress ";

/** Returns a function that takes stderr, and reports each line that begins with `::progress `. */
export function plainProgress(report: (progress: Progress) => void): (chunk: Buffer) => void {
  let count = 0;
  const { add } = lineReader(maxReportBytes, (line) => {
    const text = line.toString("utf8");
    if (text.startsWith(reportMark)) report({ progress: ++count, message: text.slice(reportMark.length).trim() });
  });
  return add;
}

/** Exit codes of a shell that could not start a program. */
const notStarted = [126, 127];

/** What a plain tool has printed, and which arguments did not reach it. */
interface Printed {
  readonly output: OutputCollector;
  readonly stderr: HeadAndTail;
  readonly ignored?: readonly string[];
}

/**
 * The result of a plain tool that has exited: an object that it printed, else its output as text. `undefined` if it is a
 * failure: a signal, a program that was not found, or an exit code without a word.
 */
export function plainResult(
  exit: Exit | undefined,
  { output, stderr, ignored = [] }: Printed,
  maxOutputBytes: number,
): Pick<Outcome, "envelope" | "json" | "overflowFile"> | undefined {
  const complaint = stderr
    .toText()
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith(reportMark))
    .at(-1);
  const hasFailed = exit !== undefined && exit.code !== 0;
  const isSilent = output.totalBytes === 0 && complaint === undefined;
  if (hasFailed && (exit.signal || notStarted.includes(exit.code) || isSilent)) return undefined;
  const { answer, overflow } = output;
  if (!hasFailed && answer?.ok)
    return { envelope: { tool_success: true, result: answer.value }, json: successJson(answer.text) };
  const result = {
    output: fitting(output.text().replace(/\r?\n$/, ""), maxOutputBytes),
    ...(hasFailed && { exit_code: exit.code, ...(complaint !== undefined && { error: complaint.trim() }) }),
    ...(ignored.length > 0 && { ignored: [...ignored] }),
  };
  const file = overflow && output.overflowProblem === undefined ? { overflowFile: overflow.path } : {};
  return { envelope: { tool_success: true, result }, json: successJson(JSON.stringify(result)), ...file };
}

/** The text, cut until it fits as JSON: control characters take six times their size. */
function fitting(text: string, maxBytes: number): string {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  if (bytes <= maxBytes) return text;
  const half = Math.floor((text.length * maxBytes) / bytes / 2.2);
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out\n${text.slice(-half)}`;
}
