export const parameters = {
  type: "object",
  properties: {
    file_path: { type: "string", description: "Path to the file" },
    content: { type: "string", description: "The whole content" },
  },
  required: ["file_path", "content"],
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "What was done, in a sentence" },
    bytes: { type: "integer", description: "How many bytes were written" },
    lines_before: { type: "integer", description: "How many lines the replaced file had" },
    lines_after: { type: "integer", description: "How many lines it has now" },
    warning: { type: "string", description: "What could not be kept of the old file" },
    truncated: { type: "boolean", description: "`output` was cut" },
  },
  required: ["output", "bytes"],
} as const;
