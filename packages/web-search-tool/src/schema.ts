export const parameters = {
  type: "object",
  properties: {
    query: { type: "string", description: "What to search for" },
    count: { type: "integer", minimum: 1, maximum: 20, description: "Number of results (default: 8)" },
    freshness: {
      type: "string",
      enum: ["day", "week", "month", "year"],
      description: "Only pages from the last day, week, …",
    },
    format: { type: "string", enum: ["text", "json"] },
  },
  required: ["query"],
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "The numbered results: title, URL and text" },
    results: {
      type: "array",
      items: {
        type: "object",
        properties: {
          title: { type: "string" },
          url: { type: "string" },
          text: { type: "string" },
          date: { type: "string", description: "When the page was published, as the service writes it" },
        },
        required: ["title", "url", "text"],
      },
      description: "The results, for the format json",
    },
    count: { type: "integer", description: "Number of results" },
    engine: { type: "string", description: "The service that was asked" },
    retry_after_s: { type: "integer", description: "With RATE_LIMITED: when to try again, in seconds" },
    truncated: { type: "boolean", description: "Results are missing: the answer was too long" },
    hint: { type: "string", description: "What to do if nothing was found" },
  },
} as const;
