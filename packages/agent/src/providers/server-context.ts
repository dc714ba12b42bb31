import type { ProviderName } from "../model/provider-table.ts";

/** What an error message needs to know about the server it is about. */
export interface ServerContext {
  readonly provider: ProviderName;
  /** The provider's name for people. */
  readonly title: string;
  readonly model: string;
  /** The variable that holds the key. */
  readonly keyVariable: string;
  /** What must never be shown. */
  readonly secrets: readonly string[];
}
