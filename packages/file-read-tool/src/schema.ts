export const parameters = {
  type: "object",
  required: ["file_path"],
  properties: {
    file_path: { type: "string", description: "Absolute or relative path to file" },
    offset: { type: "integer", description: "Line number to start reading from (1-based)" },
    limit: { type: "integer", description: "Number of lines to read" },
  },
} as const;

export const output = {
  type: "object",
  required: ["output", "lines_read"],
  properties: {
    output: { type: "string", description: "The lines, as they stand in the file" },
    lines_read: { type: "integer", description: "How many lines were read" },
    truncated: { type: "boolean", description: "Whether lines were left out because the answer was too long" },
  },
} as const;
