/** The depth for a value of `IKIGAI_DEPTH` that is not a number: deeper than any agent may be. */
const unknownDepth = 99;

/** Returns how deeply this process is nested in other agents: 0 for one that the user started. A value that cannot be read is deep. */
export function agentDepth({ IKIGAI_DEPTH: text = "" }: NodeJS.ProcessEnv): number {
  if (text === "") return 0;
  return /^\d{1,2}$/.test(text) ? Number(text) : unknownDepth;
}
