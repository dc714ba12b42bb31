import { IkigaiError } from "@ikigai/core/ikigai-error";

/** The code of every refusal. */
export type RefusalCode = "refused";

/**
 * Says why a tool was not added, removed or updated: what was expected, what came, what to do.
 *
 * Thrown while tools are installed, and printed by the command. Whatever was there is as it was.
 */
export class Refusal extends IkigaiError<RefusalCode> {
  override readonly name = "Refusal";

  constructor(message: string) {
    super("refused", message);
  }
}
