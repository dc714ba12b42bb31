import type { ServerContext } from "./server-context.ts";

/** What a provider's module needs to create a model. */
export interface ProviderSettings {
  readonly context: ServerContext;
  readonly apiKey: string | undefined;
  /** The URLs to try, with their version path. */
  readonly baseUrls: readonly [string, ...string[]];
  readonly fetch: typeof fetch;
}
