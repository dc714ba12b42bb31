import { IkigaiError } from "@ikigai/core/ikigai-error";

/** A word that is none of those that could stand in its place. */
export interface UnknownWord {
  readonly got: string;
  readonly known: readonly string[];
}

/**
 * Says that ikigai was started the wrong way: what was expected, what came, what to do.
 *
 * Thrown only while a command line is read; `cli` catches it, prints it to stderr with the nearest known word, if there is
 * one, and exits with 2.
 */
export class UsageError extends IkigaiError<"usage"> {
  override readonly name = "UsageError";
  readonly unknown: UnknownWord | undefined;

  constructor(message: string, unknown?: UnknownWord) {
    super("usage", message);
    this.unknown = unknown;
  }
}
