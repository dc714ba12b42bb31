import { ProxyError } from "@ikigai/system";
import { ModelError } from "../model/model-error.ts";

/** Returns a proxy's error as one of a model request; any other error unchanged. */
export function proxyFailure(error: unknown): unknown {
  return error instanceof ProxyError ? new ModelError(error.code, error.message, error.options) : error;
}
