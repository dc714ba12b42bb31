import { type FailureDetails, ToolFailure } from "@ikigai/tool-sdk";

/** Why a search has no results, besides the protocol's codes and those of `@ikigai/web-requests`. */
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
