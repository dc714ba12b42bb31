import type { KnownServer } from "./server-profiles.ts";

/** What a provider's module needs to create a model. */
export interface ProviderSettings {
  readonly context: ServerContext;
  readonly server: KnownServer;
  readonly apiKey: string | undefined;
  /** The URLs to try, with their version path. */
  readonly baseUrls: readonly [string, ...string[]];
  readonly fetch: typeof fetch;
}

/** What error messages need to know about the server. */
export interface ServerContext {
  /** The first part of the model's id. */
  readonly provider: string;
  /** The provider's name for people. */
  readonly title: string;
  readonly model: string;
  /** What to do about a rejected key, one sentence. */
  readonly keyAdvice: string;
  /** Strings that must never be shown. */
  readonly secrets: readonly string[];
}
