/** What an `IkigaiError` has beside its code and message. */
export interface IkigaiErrorOptions extends ErrorOptions {
  /** What to do next, in a sentence. */
  readonly hint?: string | undefined;
}

/**
 * An expected failure: something that the user, the system or a server can be asked to change. `code` is for programs and one of
 * the union that each package documents; `message` is for people. Anything else that is thrown is a bug or the system's error.
 */
export class IkigaiError<Code extends string = string> extends Error {
  override readonly name: string = "IkigaiError";
  readonly code: Code;
  readonly hint: string | undefined;

  constructor(code: Code, message: string, { hint, ...options }: IkigaiErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.hint = hint;
  }
}
