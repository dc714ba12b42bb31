export const parameters = {
  type: "object",
  properties: {
    pattern: { type: "string", description: "Regular expression pattern (POSIX extended)" },
    glob: {
      type: "string",
      description: "'**/*.{ts,tsx}' at any depth, '*.c' only directly in path",
    },
    path: { type: "string", description: "Directory or file to search (default: .)" },
    ignore_case: { type: "boolean", description: "Ignore case" },
    format: {
      type: "string",
      enum: ["text", "json", "files"],
      description: "text (default): 'file:line: content'; files: each path and its count",
    },
    context: { type: "integer", description: "Lines to show before and after each match, up to 20" },
  },
  required: ["pattern"],
} as const;

const lines = {
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
        isContext: { type: "boolean", description: "The line is near a match" },
        binary: { type: "boolean", description: "The file is binary and matches; it has no line and content" },
      },
      required: ["file"],
    },
  },
  count: { type: "integer", description: "Number of matching lines, shown or not" },
  more: {
    type: "object",
    additionalProperties: { type: "integer" },
    description: "Files with matches that are not shown, and how many those are",
  },
} as const;

export const output = {
  type: "object",
  properties: {
    ...lines,
    below: {
      type: "object",
      properties: {
        count: lines.count,
        files: { type: "integer" },
        output: lines.output,
        matches: lines.matches,
        more: lines.more,
      },
      description: "The same for the directories below, if the glob is only about names",
    },
    clipped: { type: "integer", description: "Number of lines of which only the part around the match is shown" },
    truncated: { type: "boolean", description: "Whether lines are missing: the answer was too long, or see hint" },
    hint: {
      type: "string",
      description:
        "What is missing and how to get it, what was not searched, and parts of the pattern that may mean something else",
    },
  },
} as const;
