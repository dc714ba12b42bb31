// The tool: searches with the service that is set up, and checks queries.

import { defineTool, ToolFailure } from "@ikigai/tool-sdk";
import { chooseService, variables, withoutKey } from "./engines.ts";
import { type Result, toResults } from "./results.ts";
import { output, parameters } from "./schema.ts";
import { search } from "./search.ts";

const defaultCount = 8;

/** The longest query that Brave and Tavily accept, in characters. */
const maxQueryLength = 400;

export const webSearchTool = defineTool({
  name: "web_search",
  description:
    "Search the web for titles, addresses and short texts. Use it for what the project cannot tell: recent versions, error messages, documentation. The texts are excerpts and may be outdated: read a page with web_fetch before you rely on it. Use names and exact words, not sentences.",
  parameters,
  output,
  annotations: { readOnlyHint: true, openWorldHint: true },
  ikigai: { prestart: true, serves: true, needs: { env: [...variables] } },
  warmUp() {
    process.getBuiltinModule("node:https");
    const service = chooseService({ SEARXNG_BASE_URL: "http://127.0.0.1:8080" });
    return toText(toResults([{ title: "<b>A</b> &amp; B", url: "https://example.com/", content: "C" }], service, 1));
  },
  async run({ query, count = defaultCount, freshness, format = "text" }, { env, stopAtMs }) {
    checkQuery(query);
    const service = chooseService(env);
    return withoutKey(service.key, async () => {
      const results = await search({ text: query, count, freshness }, service, { env, stopAtMs });
      return {
        ...(format === "json" ? { results } : toText(results)),
        count: results.length,
        engine: service.engine.name,
        ...(results.length === 0 && { hint: "Nothing was found. Use other words, or a longer period of freshness." }),
      };
    });
  },
});

/** The results, numbered: what comes from a page is indented, so that it cannot look like another result. */
function toText(results: readonly Result[]): { output: string } {
  const texts = results.map(({ title, url, text }, index) =>
    [`${index + 1}. ${title}`, url, text].filter((line) => line !== "").join("\n   "),
  );
  return { output: texts.join("\n") };
}

function checkQuery(query: string): void {
  if (query.trim() === "") throw new ToolFailure("INVALID_ARG", "The query is empty.");
  const { length } = [...query];
  if (length > maxQueryLength)
    throw new ToolFailure("INVALID_ARG", `The query has ${length} characters. At most ${maxQueryLength} are allowed.`, {
      hint: "Search with fewer words.",
    });
}
