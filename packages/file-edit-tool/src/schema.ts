const file_path = { type: "string", description: "Path to the file" } as const;

const edit = {
  old_string: { type: "string", description: "Exact text to replace" },
  new_string: { type: "string", description: "Text to replace old_string with" },
  replace_all: {
    type: "boolean",
    description: "Replace all occurrences (default: false)",
  },
} as const;

/** One of several edits. */
export const oneEdit = { type: "object", properties: edit } as const;

/** What the model sees. */
export const advertised = {
  type: "object",
  properties: { file_path, ...edit },
  required: ["file_path", "old_string", "new_string"],
} as const;

/** What is accepted: other agents have taught models a list of edits. */
export const parameters = {
  type: "object",
  properties: {
    file_path,
    ...edit,
    edits: {
      type: "array",
      minItems: 1,
      items: { type: "object" },
    },
  },
  required: ["file_path"],
  if: { required: ["edits"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { old_string: false, new_string: false, replace_all: false } },
  else: { required: ["old_string", "new_string"] },
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "What was done, in a sentence" },
    replacements: { type: "integer", description: "How many occurrences were replaced" },
    warning: { type: "string", description: "What could not be kept of the old file" },
    hint: { type: "string", description: "Which file was edited, if its name is spelled otherwise" },
    truncated: { type: "boolean", description: "`output` was cut" },
  },
  required: ["output", "replacements"],
} as const;
