import { shellWord } from "@ikigai/system";
import { advice } from "./advice.ts";
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

/** What is wrong with a tool. */
export interface Fault {
  /** What happened, one sentence. */
  readonly problem: string;
  /** Why it matters or what usually causes it, and what to do. */
  readonly advice: string;
}

/** What a check finds wrong. Without `advice`, that of the check applies. */
export type Wrong = string | { readonly problem: string; readonly advice?: string | undefined };

/** The outcome of a check: nothing wrong, what is wrong, or why it does not apply. */
export type Finding = Wrong | undefined | NotTried;

/** A check as implemented here: it gets a tool whose runs are shared with other checks. */
export interface Trial extends Omit<Check, "run"> {
  look(subject: Subject): Promise<Finding>;
}

/** Runs a trial. If it throws, the tool has failed it. */
export async function look({ id, look }: Trial, subject: Subject): Promise<Fault | NotTried | undefined> {
  try {
    const finding = await look(subject);
    if (finding === undefined || (typeof finding === "object" && "notTried" in finding)) return finding;
    const wrong = typeof finding === "string" ? { problem: finding } : finding;
    return { problem: wrong.problem, advice: wrong.advice ?? advice[id] ?? "" };
  } catch (error) {
    const problem = `The check could not run: ${(error as Error).message}.`;
    return { problem, advice: `If this works, run the check again: ${shellWord(subject.path)} --schema` };
  }
}

/** Turns a trial into a check that runs alone. */
export function toCheck(trial: Trial): Check {
  const { look: _, ...rest } = trial;
  return {
    ...rest,
    async run(bin, options) {
      const finding = await look(trial, openSubject(bin, options));
      return finding && "problem" in finding ? sentences(finding) : undefined;
    },
  };
}

/** What is wrong and what to do, as one text. */
export function sentences({ problem, advice }: Fault): string {
  return `${problem} ${advice}`;
}
