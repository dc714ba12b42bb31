import { textStart } from "@ikigai/protocol";
import { ModelError } from "../model/model-error.ts";

/** Longest type name that is shown, in characters. */
const maxTypeLength = 60;

/** An event that cannot be read. Retried only once, because retries cost money and rarely help. */
export function unreadableEvent(title: string, { type, why }: { type?: string; why: string }): ModelError {
  const kind = type === undefined ? "" : ` of type ${textStart(type, maxTypeLength)}`;
  const text = `${title} sent an event${kind} that ${why}. Check the base URL, and that any gateway is up to date.`;
  return new ModelError("bad_stream", text, { retryable: true, maxRetries: 1 });
}
