import type { ProcessEnd } from "./run-process.ts";

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
  /** Tries the tool: `undefined` if it is as the title says, else one sentence on what is wrong and what to do. */
  run(bin: string): Promise<string | undefined>;
}

/** How a tool that was tried is described: its exit code, and the first line of what it complained about. */
export function describeExit({ exitCode, stderr, flooded }: ProcessEnd): string {
  if (flooded) return "was stopped because it did not cease to print";
  const reason = firstLine(stderr.toString("utf8"));
  return `exited with ${exitCode}${reason === "" ? "" : ` (stderr: ${reason})`}`;
}

/** The first line that has something in it, cut to what fits in a sentence. */
export function firstLine(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  return line.length > maxQuotedLength ? `${line.slice(0, maxQuotedLength)}…` : line;
}

/** How much of what a tool printed is quoted, in characters. */
const maxQuotedLength = 160;
