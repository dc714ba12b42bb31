/** Somebody else is at the same file. The message says who or what, as a hint to the model. */
export class WriteConflict extends Error {
  override readonly name = "WriteConflict";
}
