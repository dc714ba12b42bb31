import type { Engine } from "./engine.ts";
import { listAt, valueAt } from "./value-at.ts";

/** SearXNG, run by the user. https://docs.searxng.org/dev/search_api.html */
export const searxng: Engine = {
  name: "searxng",
  title: "SearXNG",
  baseVariable: "SEARXNG_BASE_URL",
  forbidden: "add json to search.formats in settings.yml",
  request: ({ text, freshness }) => ({
    path: "/search",
    parameters: { q: text, format: "json", ...(freshness && { time_range: freshness }) },
  }),
  results: (body) => listAt(body, "results"),
  result: (item) => ({
    title: valueAt(item, "title"),
    url: valueAt(item, "url"),
    text: valueAt(item, "content"),
    date: valueAt(item, "publishedDate"),
  }),
  problem: (body) => valueAt(body, "error"),
};
