/** What an error message needs to know about the server it is about. */
export interface ServerContext {
  /** The first part of the model's id. */
  readonly provider: string;
  /** The provider's name for people. */
  readonly title: string;
  readonly model: string;
  /** What to do about a key that is rejected, a sentence. */
  readonly keyAdvice: string;
  /** What must never be shown. */
  readonly secrets: readonly string[];
}
