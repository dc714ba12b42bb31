/** Another program changed the file at the same time. The message is a hint for the model. */
export class WriteConflict extends Error {
  override readonly name = "WriteConflict";
}
