import type { SchemaValue } from "@ikigai/tool-sdk";
import type { RawResult } from "./engines.ts";
import { plainText } from "./plain-text.ts";
import type { output } from "./schema.ts";
import { keyRemover } from "./search-failure.ts";
import type { Service } from "./settings.ts";

/** One result of a search. */
export type Result = NonNullable<SchemaValue<typeof output>["results"]>[number];

/** Longer ones are cut, in characters. Twenty results with the longest texts fit into one answer. */
const maxTitleLength = 200;
const maxTextLength = 1_000;
const maxDateLength = 40;

/** Results with a longer URL are left out: `web_fetch` would refuse it. */
const maxUrlLength = 2_048;

/** Returns the first `count` results that have a URL of http or https. */
export function toResults(items: readonly unknown[], service: Service, count: number): Result[] {
  const clean = keyRemover(service.key);
  const results: Result[] = [];
  for (const item of items) {
    if (results.length === count) break;
    const result = toResult(service.engine.result(item), clean);
    if (result) results.push(result);
  }
  return results;
}

/** @param clean removes the key from a text before it is cut. */
function toResult(raw: RawResult, clean: (text: string) => string): Result | undefined {
  const url = readUrl(raw.url);
  if (url === undefined) return undefined;
  const title = plainText(raw.title, maxTitleLength, clean);
  const date = plainText(raw.date, maxDateLength, clean);
  return {
    title: title === "" ? url.host : title,
    url: url.href,
    text: plainText(raw.text, maxTextLength, clean),
    ...(date !== "" && { date }),
  };
}

/** Reads a URL of http or https. A user name before the host could only mislead. */
function readUrl(value: unknown): URL | undefined {
  if (typeof value !== "string" || value.length > maxUrlLength || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  return isWeb && url.username === "" && url.password === "" && url.href.length <= maxUrlLength ? url : undefined;
}
