/** What the system has run out of, and what the user can do. */
const advice: Readonly<Record<string, string>> = {
  EMFILE: "Too many files are open (EMFILE). Raise the limit (ulimit -n 1024) and start again.",
  ENFILE: "Too many files are open on this machine (ENFILE). Close other programs and start again.",
  ENOMEM: "There is not enough memory (ENOMEM). Close other programs and start again.",
};

/** Says what the system has run out of, if that is what an error is about: no bug. */
export function exhausted(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code !== undefined && Object.hasOwn(advice, code) ? advice[code] : undefined;
}
