export const parameters = {
  type: "object",
  properties: {
    question: { type: "string" },
    options: {
      type: "array",
      items: { type: "string" },
      minItems: 2,
      maxItems: 6,
      description: "Answers to choose from",
    },
  },
  required: ["question"],
} as const;

export const output = {
  type: "object",
  properties: {
    answer: { type: "string", description: "What the user answered" },
  },
} as const;
