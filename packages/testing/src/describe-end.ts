import { constants } from "node:os";
import { textStart } from "@ikigai/protocol";
import { tellingLine } from "@ikigai/system";
import type { ProcessEnd } from "./run-process.ts";

/** What usually causes a call to hang, and what to do. */
export const hangAdvice =
  "It usually waits for more input: read stdin until it ends, once. Otherwise it waits for a terminal, a lock, a reply or a process that it has started.";

/** What a shell adds to the number of a signal for the exit code. */
const signalBase = 128;

/** Describes how a run ended, as the end of a sentence about the tool. */
export function describeExit({ exitCode, stderr, flooded, timedOut }: ProcessEnd): string {
  if (flooded) return "was stopped because it printed without end";
  if (timedOut) return "was still running when its time was over";
  return exitWords(exitCode, stderr.toString("utf8"));
}

/** Describes an exit code, 128+N after signal N, with the most informative line of stderr. */
export function exitWords(exitCode: number, stderr: string): string {
  const name = signalName(exitCode);
  const end =
    name === undefined ? `exited with code ${exitCode}` : `was killed by signal ${exitCode - signalBase} (${name})`;
  const reason = firstLine(tellingLine(stderr));
  return `${end}${reason === "" ? "" : ` (stderr: ${quoted(reason)})`}`;
}

/** What to do about an end; `undefined` if it has no cause of its own. */
export function endAdvice({
  exitCode,
  timedOut,
  flooded,
  stderr,
}: Pick<ProcessEnd, "exitCode" | "timedOut" | "flooded"> & Partial<Pick<ProcessEnd, "stderr">>): string | undefined {
  if (flooded) return "It usually prints in a loop that never ends. Print one JSON object and exit.";
  if (timedOut) return hangAdvice;
  const complaint = exitCode === 0 ? "" : (stderr?.toString("utf8") ?? "");
  if (streamNames.test(complaint)) return streamAdvice;
  if (closedDescriptor.test(complaint)) return descriptorAdvice;
  const name = signalName(exitCode);
  return (
    name && `${signalCauses[name] ?? "A program sent it this signal."} Run it by hand with the same input to see where.`
  );
}

/** The names of the standard streams, which a failed attempt to open one prints. */
const streamNames = /\/dev\/(?:stdin|stdout|stderr|fd\/[012])\b|\/proc\/self\/fd\/[012]\b/;

const streamAdvice =
  "A host may pass sockets, which cannot be opened by name. Use the streams themselves: cat instead of cat /dev/stdin, jq . instead of jq . /dev/stdin, and >&2 instead of > /dev/stderr.";

/** How shells, Python and Node describe a descriptor that is not open. */
const closedDescriptor = /\bEBADF\b|bad file descriptor/i;

const descriptorAdvice =
  "If it writes progress: descriptor 3 is open only if IKIGAI_PROGRESS_FD is set, so write it only then.";

/** The signals of a crash, and what usually causes them. */
const signalCauses: Readonly<Record<string, string>> = {
  SIGABRT: "A failed assertion or allocation aborts a program.",
  SIGBUS: "Compiled code used memory that does not exist.",
  SIGFPE: "Compiled code divided by zero.",
  SIGILL: "It may be built for another processor.",
  SIGKILL: "The system kills a program that takes too much memory.",
  SIGPIPE: "It wrote to a program that had already exited.",
  SIGSEGV: "Compiled code used memory that it does not have.",
};

/** The signal that an exit code stands for. */
function signalName(exitCode: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - signalBase)?.[0];
}

/** The longest quote of a tool's output, in characters. */
const maxQuotedLength = 160;

/** The first line that is not blank, cut to fit into a sentence. */
export function firstLine(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  return line.length > maxQuotedLength ? `${textStart(line, maxQuotedLength)}…` : line;
}

/** Marks where a tool's output begins and ends inside a sentence; "nothing" for empty output. */
export function quoted(text: string): string {
  const line = firstLine(text);
  if (line === "") return "nothing";
  return line.includes('"') ? `'${line}'` : `"${line}"`;
}
