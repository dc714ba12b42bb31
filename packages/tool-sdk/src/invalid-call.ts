/** The arguments are invalid. The message is one line for stderr; the exit code is 1. */
export class InvalidCall extends Error {
  override readonly name = "InvalidCall";
}
