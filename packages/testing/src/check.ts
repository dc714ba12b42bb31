import { textStart } from "@ikigai/protocol";
import type { ProcessEnd } from "./run-process.ts";
import { openSubject, type Subject, type SubjectOptions } from "./subject.ts";

/** One thing that the protocol asks of a tool. */
export interface Check {
  /** Stays the same over versions, for instance `schema-size`. */
  readonly id: string;
  /** `must`: a host refuses or misreads a tool without it. `should`: the tool works, and somebody is worse off. */
  readonly level: "must" | "should";
  /** What a good tool does, to be read after its name. */
  readonly title: string;
  /** The check without which this one can say nothing. */
  readonly needs?: string;
  /** Tries the tool: `undefined` if it is as the title says, or if that cannot be tried; else what is wrong, and what to do. */
  run(bin: string, options?: SubjectOptions): Promise<string | undefined>;
}

/** Why a check says nothing about this tool. */
export interface NotTried {
  readonly notTried: string;
}

/** What a check found: nothing wrong, a sentence on what is wrong, or that it does not apply. */
export type Finding = string | undefined | NotTried;

/** A check as it is written here: it is given a tool of which others may have asked the same already. */
export interface Trial extends Omit<Check, "run"> {
  look(subject: Subject): Promise<Finding>;
}

/** Runs a trial; a tool that cannot be tried at all has failed it. */
export async function look({ look }: Trial, subject: Subject): Promise<Finding> {
  try {
    return await look(subject);
  } catch (error) {
    return `It could not be tried: ${(error as Error).message}`;
  }
}

/** A trial as a check that stands for itself. */
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

/** How a tool that was tried is described: its exit code, and the line that says most of what it complained about. */
export function describeExit({ exitCode, stderr, flooded }: ProcessEnd): string {
  if (flooded) return "was stopped because it did not cease to print";
  const reason = tellingLine(stderr.toString("utf8"));
  return `exited with ${exitCode}${reason === "" ? "" : ` (stderr: ${reason})`}`;
}

/** What an error is called: at the beginning of a line of a stack trace of Python, Node, Ruby, Java, or of Go. */
const errorLine = /^(?:[\w.:]*(?:Error|Exception)\b|panic:)/;

/** Of a stack trace the line that names the error, which Python has at the end and Node in the middle; else the first line. */
export function tellingLine(text: string): string {
  return firstLine(text.split("\n").find((line) => errorLine.test(line)) ?? text);
}

/** The first line that has something in it, cut to what fits in a sentence. */
export function firstLine(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  return line.length > maxQuotedLength ? `${textStart(line, maxQuotedLength)}…` : line;
}

/** How much of what a tool printed is quoted, in characters. */
const maxQuotedLength = 160;
