export const parameters = {
  type: "object",
  properties: {
    pattern: { type: "string", description: "Regular expression pattern (POSIX extended)" },
    glob: {
      type: "string",
      description:
        "Which files: '**/*' all below path, '**/*.{ts,tsx}' some of them, '*.c' only directly in path (default: all directly in path, NOT below)",
    },
    path: { type: "string", description: "Directory to search in, or one file (default: current directory)" },
    ignore_case: { type: "boolean", description: "Ignore case (default: false)" },
    format: {
      type: "string",
      enum: ["text", "json"],
      description: "'text' for lines of 'file:line: content', 'json' for objects (default: text)",
    },
  },
  required: ["pattern"],
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "One matching line per line: 'file:line: content'" },
    matches: {
      type: "array",
      description: "The matching lines, with format 'json'",
      items: {
        type: "object",
        properties: {
          file: { type: "string" },
          line: { type: "integer" },
          content: { type: "string" },
          binary: { type: "boolean", description: "The file is binary and matches; it has no line and content" },
        },
        required: ["file"],
      },
    },
    count: { type: "integer", description: "Number of matching lines, shown or not" },
    truncated: { type: "boolean", description: "Whether lines are missing: the answer was too long, or see hint" },
    hint: {
      type: "string",
      description:
        "Whether path is missing, what was not searched, and parts of the pattern that may mean something else",
    },
  },
} as const;
