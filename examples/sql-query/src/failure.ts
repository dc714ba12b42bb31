/** Becomes the answer `{"error", "error_code"}`: the operation failed, the tool did not. */
export class Failure extends Error {
  readonly answer: object;

  constructor(code: string, error: string, steps?: readonly string[]) {
    super(error);
    this.answer = { error, error_code: code, ...(steps && { help: { steps } }) };
  }
}
