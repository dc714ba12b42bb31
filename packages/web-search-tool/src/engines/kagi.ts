import type { Engine, Freshness } from "./engine.ts";
import { listAt, valueAt } from "./value-at.ts";

const days: Readonly<Record<Freshness, number>> = { day: 1, week: 7, month: 31, year: 366 };

const dayMs = 86_400_000;

/** Kagi, version 1 of its API. https://kagi.com/api/docs/openapi/search */
export const kagi: Engine = {
  name: "kagi",
  title: "Kagi",
  keyVariable: "KAGI_API_KEY",
  baseVariable: "KAGI_BASE_URL",
  defaultBase: "https://kagi.com",
  request: ({ text, count, freshness }, key) => ({
    path: "/api/v1/search",
    headers: { authorization: `Bearer ${key}` },
    body: { query: text, limit: count, ...(freshness && { filters: { after: dayBefore(days[freshness]) } }) },
  }),
  // If nothing is found, `search` may be missing. `data` of an error is a list, or null.
  results: (body) => listAt(body, "data", "search") ?? (isObject(valueAt(body, "data")) ? [] : undefined),
  result: (item) => ({
    title: valueAt(item, "title"),
    url: valueAt(item, "url"),
    text: valueAt(item, "snippet"),
    date: valueAt(item, "time"),
  }),
  problem: (body) => valueAt(body, "error", 0, "message"),
};

/** The date so many days ago, in UTC: `2026-01-31`. */
function dayBefore(count: number): string {
  return new Date(Date.now() - count * dayMs).toISOString().slice(0, 10);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
