/** The command line cannot be understood: what was expected, what came, what to do. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
