export const parameters = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["diagnostics", "definition", "references", "hover", "symbols", "rename", "actions"],
    },
    path: { type: "string", description: "Path to the file" },
    line: { type: "integer", minimum: 1, description: "Its line (1-based)" },
    symbol: { type: "string", description: "Its text on that line" },
    new_name: { type: "string" },
    title: { type: "string", description: "The action to show or apply" },
    apply: { type: "boolean", description: "Write the edits (default: show them)" },
  },
  required: ["action", "path"],
} as const;

const problem = {
  type: "object",
  properties: {
    path: { type: "string" },
    line: { type: "integer" },
    severity: { type: "string", enum: ["error", "warning"] },
    message: { type: "string" },
    source: { type: "string" },
    code: { type: "string" },
  },
  required: ["path", "line", "severity", "message"],
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "What was found, with text around it" },
    count: { type: "integer", description: "How many there are" },
    files: { type: "integer", description: "In how many files" },
    applied: { type: "boolean", description: "Whether the edits were written" },
    new: { type: "array", items: problem, description: "With `before`: what is new since the last report" },
    more: { type: "integer", description: "How many more are new" },
    fixed: { type: "integer", description: "How many are gone" },
    pending: { type: "boolean", description: "A server has not answered yet" },
    hint: { type: "string" },
    truncated: { type: "boolean", description: "`output` was cut" },
  },
} as const;
