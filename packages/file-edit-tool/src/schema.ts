export const parameters = {
  type: "object",
  properties: {
    file_path: { type: "string", description: "Absolute or relative path to file" },
    old_string: { type: "string", description: "Exact text to find and replace" },
    new_string: { type: "string", description: "Text to replace old_string with" },
    replace_all: {
      type: "boolean",
      description: "Replace all occurrences (default: false, fails if not unique)",
    },
  },
  required: ["file_path", "old_string", "new_string"],
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "What was done, in a sentence" },
    replacements: { type: "integer", description: "How many occurrences were replaced" },
    warning: { type: "string", description: "What could not be kept of the old file" },
    truncated: { type: "boolean", description: "`output` was cut" },
  },
  required: ["output", "replacements"],
} as const;
