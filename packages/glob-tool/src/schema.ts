export const parameters = {
  type: "object",
  properties: {
    pattern: {
      type: "string",
      description:
        "Glob pattern (e.g., '*.txt', 'src/**/*.c'). ** matches any number of directories; a leading dot must be written",
    },
    path: { type: "string", description: "Directory to search in (default: current directory)" },
    format: {
      type: "string",
      enum: ["text", "json"],
      description: "text: one path per line (default). json: an array of paths",
    },
  },
  required: ["pattern"],
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "The paths, one per line, sorted by bytes" },
    files: { type: "array", items: { type: "string" }, description: "The paths, for the format json" },
    count: { type: "integer", description: "How many paths match, also when not all are listed" },
    truncated: { type: "boolean", description: "Paths are missing at the end" },
  },
} as const;
