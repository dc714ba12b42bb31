import { ModelError } from "../model/model-error.ts";

/** The error for a response that ended before the model had finished. */
export function brokenOff(): ModelError {
  return new ModelError("bad_stream", "The response broke off: the connection closed before the model finished.", {
    retryable: true,
  });
}
