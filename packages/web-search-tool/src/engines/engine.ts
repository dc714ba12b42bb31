/** What to search for. */
export interface Query {
  readonly text: string;
  /** At most this many results. */
  readonly count: number;
  readonly freshness: Freshness | undefined;
}

/** The age of the oldest pages that are wanted. */
export type Freshness = "day" | "week" | "month" | "year";

/** What a service is sent. */
export interface EngineRequest {
  /** Added to the base URL. */
  readonly path: string;
  /** The query of the URL. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The header that authenticates. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; the request is then a POST. */
  readonly body?: object;
}

/** One result as a service sends it: any of these can be anything. */
export interface RawResult {
  readonly title: unknown;
  readonly url: unknown;
  readonly text: unknown;
  readonly date: unknown;
}

/** A search service. */
export interface Engine {
  /** The name in `IKIGAI_WEB_SEARCH` and in answers. */
  readonly name: string;
  /** The name in messages. */
  readonly title: string;
  /** The variable with the API key, for a service that has keys. */
  readonly keyVariable?: string;
  /** The variable with the base URL. */
  readonly baseVariable: string;
  /** The base URL if the variable is not set. */
  readonly defaultBase?: string;
  /** What to do about a 403. */
  readonly forbidden?: string;
  request(query: Query, key: string): EngineRequest;
  /** The list of results in a response; `undefined` if it is not a response of this service. */
  results(body: unknown): readonly unknown[] | undefined;
  result(item: unknown): RawResult;
  /** Where the response to a request that failed says why. */
  problem(body: unknown): unknown;
  /** Whether a response says that the key is invalid, with another status than 401 and 403. */
  rejectsKey?(body: unknown): boolean;
}
