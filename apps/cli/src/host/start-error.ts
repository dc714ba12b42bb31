/**
 * Says why ikigai cannot work here: its configuration, its working directory or its home. Its message has what to do.
 *
 * `cli` catches it, prints it to stderr and exits with 2, before anything has run.
 */
export class StartError extends Error {
  override readonly name = "StartError";
}
