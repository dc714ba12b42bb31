/**
 * Says that ikigai was started the wrong way: what was expected, what came, what to do.
 *
 * Thrown only while a command line is read; `cli` catches it, prints it to stderr and exits with 2.
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
