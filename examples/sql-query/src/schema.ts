/** The tool's schema. */
export const schema = {
  name: "sql_query",
  description:
    "Ask the SQLite database of this project: one SELECT (or EXPLAIN, or PRAGMA table_info); nothing can be changed",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", description: "One SQL statement" },
      limit: { type: "integer", minimum: 1, description: "Most rows to return (default: 100)" },
    },
    required: ["query"],
    examples: [{ query: "select name, sql from sqlite_master" }],
  },
  outputSchema: {
    type: "object",
    properties: {
      columns: { type: "array", items: { type: "string" } },
      rows: { type: "array", items: { type: "array" } },
      truncated: { type: "boolean", description: "Whether there are more rows" },
    },
    required: ["columns", "rows"],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  ikigai: { version: "1.0.0", needs: { env: ["SQL_QUERY_DATABASE"] }, prestart: true },
} as const;

/** The arguments of a call. */
export interface Arguments {
  readonly query: string;
  readonly limit: number;
}

/** Reads the arguments; throws an error that says what was expected. */
export function readArguments(text: string): Arguments {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("Expected a JSON object.");
  const { query, limit } = value as Record<string, unknown>;
  if (typeof query !== "string") throw new Error('Expected "query" to be a text.');
  if (limit !== undefined && limit !== null && !(Number.isInteger(limit) && Number(limit) >= 1))
    throw new Error('Expected "limit" to be an integer from 1.');
  return { query, limit: Number(limit ?? 100) };
}
