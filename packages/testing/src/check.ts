import { textStart } from "@ikigai/protocol";
import { tellingLine } from "@ikigai/system";
import type { ProcessEnd } from "./run-process.ts";
import { openSubject, type Subject, type SubjectOptions } from "./subject.ts";

/** One requirement of the protocol. */
export interface Check {
  /** A stable id, for example `schema-size`. */
  readonly id: string;
  /** `must`: a host rejects or misreads a tool that fails it. `should`: the tool works, but less well. */
  readonly level: "must" | "should";
  /** What a conforming tool does, to be read after its name. */
  readonly title: string;
  /** The id of the check that must pass first. */
  readonly needs?: string;
  /** Checks a tool. Returns `undefined` if it passes or the check does not apply, otherwise what is wrong and what to do. */
  run(bin: string, options?: SubjectOptions): Promise<string | undefined>;
}

/** Why a check does not apply to this tool. */
export interface NotTried {
  readonly notTried: string;
}

/** The outcome of a check: nothing wrong, a sentence that says what is wrong, or why it does not apply. */
export type Finding = string | undefined | NotTried;

/** A check as implemented here: it gets a tool whose runs are shared with other checks. */
export interface Trial extends Omit<Check, "run"> {
  look(subject: Subject): Promise<Finding>;
}

/** Runs a trial. If it throws, the tool has failed it. */
export async function look({ look }: Trial, subject: Subject): Promise<Finding> {
  try {
    return await look(subject);
  } catch (error) {
    return `The check could not run: ${(error as Error).message}`;
  }
}

/** Turns a trial into a check that runs alone. */
export function toCheck(trial: Trial): Check {
  const { look: _, ...rest } = trial;
  return {
    ...rest,
    async run(bin, options) {
      const finding = await look(trial, openSubject(bin, options));
      return typeof finding === "string" ? finding : undefined;
    },
  };
}

/** Describes how a run ended: the exit code, and the most informative line of stderr. */
export function describeExit({ exitCode, stderr, flooded }: ProcessEnd): string {
  if (flooded) return "was stopped because it printed without end";
  const reason = firstLine(tellingLine(stderr.toString("utf8")));
  return `exited with code ${exitCode}${reason === "" ? "" : ` (stderr: ${quoted(reason)})`}`;
}

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

/** The longest quote of a tool's output, in characters. */
const maxQuotedLength = 160;
