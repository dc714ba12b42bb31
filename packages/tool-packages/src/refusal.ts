import { IkigaiError } from "@ikigai/core/errors";

/** The code of every refusal. */
type RefusalCode = "refused";

/**
 * Why a tool was not added, removed or updated, and what to do.
 *
 * Thrown during installation and printed by the command. Nothing has changed then.
 */
export class Refusal extends IkigaiError<RefusalCode> {
  override readonly name = "Refusal";

  constructor(message: string) {
    super("refused", message);
  }
}
