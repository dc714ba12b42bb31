/** Somebody else changed the file at the same time. The message says so, as a hint to the model. */
export class WriteConflict extends Error {
  override readonly name = "WriteConflict";
}
