/**
 * Says why a tool was not added, removed or updated: what was expected, what came, what to do.
 *
 * Thrown while tools are installed, and printed by the command. Whatever was there is as it was.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
