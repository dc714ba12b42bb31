// The error of an invalid command line.

import { IkigaiError } from "@ikigai/core/errors";

/** An unknown word, the words that are valid there, and the one of them that it means, if it is not the nearest in spelling. */
export interface UnknownWord {
  readonly got: string;
  readonly known: readonly string[];
  readonly meant?: string;
}

/**
 * An invalid command line. The message says what is wrong and what to do.
 *
 * `cli` catches it, prints it to stderr with the nearest known word, if any, and exits with 2.
 */
export class UsageError extends IkigaiError<"usage"> {
  override readonly name = "UsageError";
  readonly unknown: UnknownWord | undefined;

  constructor(message: string, unknown?: UnknownWord) {
    super("usage", message);
    this.unknown = unknown;
  }
}
