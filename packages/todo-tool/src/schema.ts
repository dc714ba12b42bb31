export const parameters = {
  type: "object",
  properties: {
    items: {
      type: "array",
      maxItems: 50,
      items: {
        type: "object",
        properties: {
          text: { type: "string" },
          status: { type: "string", enum: ["pending", "in_progress", "completed", "open", "doing", "done"] },
        },
        // Not `text`: other agents call it `content`.
        required: ["status"],
      },
      description: "The whole new list",
    },
  },
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "The list, one task per line" },
    open: { type: "integer", description: "Number of tasks that are not done" },
    done: { type: "integer", description: "Number of tasks that are done" },
    truncated: { type: "boolean", description: "The list was cut to fit" },
  },
} as const;
