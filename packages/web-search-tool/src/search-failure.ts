import { redact } from "@ikigai/system";
import { type FailureDetails, ToolFailure } from "@ikigai/tool-sdk";

/** Why a search has no results, besides the protocol's codes and those of `@ikigai/http`. */
export type SearchErrorCode = "UNAUTHORIZED" | "RATE_LIMITED" | "SEARCH_FAILED";

/** Facts about a failed search: fields of the answer. */
export interface SearchFailureDetails extends FailureDetails {
  /** When to try again, in seconds. */
  readonly retry_after_s?: number;
}

/** A search that failed in a way that a model or a user can act on. */
export class SearchFailure extends ToolFailure<string> {
  constructor(code: SearchErrorCode, message: string, details: SearchFailureDetails = {}) {
    super(code, message, details);
  }
}

/** Returns a function that removes a key from a text. A service may send back what it was sent, also in a host, which is in lower case. */
export function keyRemover(key: string): (text: string) => string {
  const keys = [key, key.toLowerCase(), key.toUpperCase()];
  return (text) => redact(text, keys);
}

/** Removes a key from everything that an action returns or says about a failure. */
export async function withoutKey<Answer>(key: string, action: () => Promise<Answer>): Promise<Answer> {
  const clean = keyRemover(key);
  try {
    return inTexts(await action(), clean) as Answer;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const { code, message, details } = error as ToolFailure<string>;
    throw new ToolFailure<string>(code, clean(message), inTexts(details, clean) as typeof details);
  }
}

function inTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => inTexts(item, clean));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inTexts(item, clean)]));
}
