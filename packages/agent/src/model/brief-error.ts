import type { ModelError, ModelErrorCode } from "./model-error.ts";

const kinds: Partial<Record<ModelErrorCode, string>> = {
  rate_limited: "Rate limited",
  unavailable: "Server unavailable",
  network: "Connection failed",
  timeout: "No response",
  bad_stream: "Bad response",
};

/** The status of an overloaded server that is not in HTTP's standard. */
const overloaded = 529;

/** What failed in a few words, without the server's address, for a place where the sentence does not fit. */
export function briefError({ code, status }: Pick<ModelError, "code" | "status">): string {
  const kind = status === overloaded ? "Server overloaded" : (kinds[code] ?? "Request failed");
  return status === undefined ? kind : `${kind} (${status})`;
}
