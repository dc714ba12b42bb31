import type { Engine } from "./engine.ts";
import { listAt, valueAt } from "./value-at.ts";

/** The reference has `error` in its schema, and `errors` in its examples. */
function errorOf(body: unknown): unknown {
  return valueAt(body, "error") ?? valueAt(body, "errors", 0);
}

const periods = { day: "pd", week: "pw", month: "pm", year: "py" } as const;

/** Brave Search. https://api-dashboard.search.brave.com/api-reference/web/search/get */
export const brave: Engine = {
  name: "brave",
  title: "Brave Search",
  keyVariable: "BRAVE_API_KEY",
  baseVariable: "BRAVE_BASE_URL",
  defaultBase: "https://api.search.brave.com",
  request: ({ text, count, freshness }, key) => ({
    path: "/res/v1/web/search",
    parameters: {
      q: text,
      count: String(count),
      result_filter: "web",
      text_decorations: "false",
      ...(freshness && { freshness: periods[freshness] }),
    },
    headers: { "x-subscription-token": key },
  }),
  // If nothing is found, `web` is missing.
  results: (body) => listAt(body, "web", "results") ?? (valueAt(body, "type") === "search" ? [] : undefined),
  result: (item) => ({
    title: valueAt(item, "title"),
    url: valueAt(item, "url"),
    text: valueAt(item, "description"),
    date: valueAt(item, "page_age"),
  }),
  problem: (body) => valueAt(errorOf(body), "detail"),
  // With status 422.
  rejectsKey: (body) => valueAt(errorOf(body), "code") === "SUBSCRIPTION_TOKEN_INVALID",
};
