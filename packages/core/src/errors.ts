// The expected failures that this package throws, each with a code.

/** Options of an `IkigaiError` besides its code and message. */
export interface IkigaiErrorOptions extends ErrorOptions {
  /** What to do next, one sentence. */
  readonly hint?: string | undefined;
}

/**
 * An expected failure: something the user, the system or a server can fix. `code` is for programs and comes from the union that
 * each package documents; `message` is for people. Anything else that is thrown is a bug or a system error.
 *
 * @example
 * try {
 *   const agent = await createAgent({ model: "openai/gpt-5.5" });
 * } catch (error) {
 *   if (error instanceof IkigaiError) console.error(error.message, error.hint ?? "");
 *   else throw error;
 * }
 */
export class IkigaiError<Code extends string = string> extends Error {
  /** The name of the class. */
  override readonly name: string = "IkigaiError";
  /** For programs: one of the codes that the throwing function documents. */
  readonly code: Code;
  /** What to do next, one sentence. */
  readonly hint: string | undefined;

  constructor(code: Code, message: string, options: IkigaiErrorOptions = {}) {
    const { hint, ...others } = options;
    super(message, others);
    this.code = code;
    this.hint = hint;
  }
}

/** Why the user's decisions cannot be changed. */
export type TrustStoreProblemCode =
  /** The file cannot be read: changing it would lose all decisions. */
  | "trust_unreadable"
  /** Another process keeps the file locked, or something else is where its lock should be. */
  | "trust_locked";

/** The user's decisions about projects cannot be changed. */
export class TrustStoreProblem extends IkigaiError<TrustStoreProblemCode> {
  /** Always `TrustStoreProblem`. */
  override readonly name = "TrustStoreProblem";
}
