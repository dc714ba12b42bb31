import type { Engine } from "./engine.ts";
import { listAt, valueAt } from "./value-at.ts";

/** Tavily. https://docs.tavily.com/documentation/api-reference/endpoint/search */
export const tavily: Engine = {
  name: "tavily",
  title: "Tavily",
  keyVariable: "TAVILY_API_KEY",
  baseVariable: "TAVILY_BASE_URL",
  defaultBase: "https://api.tavily.com",
  request: ({ text, count, freshness }, key) => ({
    path: "/search",
    headers: { authorization: `Bearer ${key}` },
    body: { query: text, max_results: count, ...(freshness && { time_range: freshness }) },
  }),
  results: (body) => listAt(body, "results"),
  result: (item) => ({
    title: valueAt(item, "title"),
    url: valueAt(item, "url"),
    text: valueAt(item, "content"),
    date: valueAt(item, "published_date"),
  }),
  problem: (body) => valueAt(body, "detail", "error") ?? valueAt(body, "detail"),
};
