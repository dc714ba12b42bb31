export const parameters = {
  type: "object",
  properties: {
    pattern: {
      type: "string",
      description: "For example 'src/**/*.{c,h}'. Without **, a leading dot must be written",
    },
    path: { type: "string", description: "Directory to search (default: .)" },
    format: {
      type: "string",
      enum: ["text", "json"],
    },
  },
  required: ["pattern"],
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "The paths, one per line, sorted by bytes" },
    files: { type: "array", items: { type: "string" }, description: "The paths, for the format json" },
    count: { type: "integer", description: "Number of matching paths, listed or not" },
    truncated: { type: "boolean", description: "Paths are missing: the answer was too long, or see hint" },
    hint: {
      type: "string",
      description: "What is not shown or was not searched, and if nothing was found, what is like it",
    },
  },
} as const;
