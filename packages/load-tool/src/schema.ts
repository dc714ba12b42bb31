export const parameters = {
  type: "object",
  properties: {
    name: { type: "string", description: "A skill or tool" },
    query: { type: "string", description: "Words to find skills and tools by" },
    arguments: { type: "string", description: "Text for a skill's $ARGUMENTS" },
  },
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "The skill's instructions, or what each tool does" },
    directory: { type: "string", description: "The skill's directory" },
    files: { type: "array", items: { type: "string" }, description: "The other files in it, at most 50" },
    introduces: {
      type: "array",
      items: { type: "string" },
      description: "Tools that can be called from the next step",
    },
    hint: { type: "string" },
    truncated: { type: "boolean" },
  },
  required: ["output"],
} as const;
