export const parameters = {
  type: "object",
  properties: {
    action: { type: "string", enum: ["wait", "output", "stop", "list", "input"] },
    job: { type: "integer", minimum: 1, description: "For all but list" },
    timeout_ms: {
      type: "integer",
      minimum: 1,
      description: "For wait (default: 60000, at most 600000)",
    },
    until: { type: "string", description: "For wait: a regular expression that new output matches" },
    line: { type: "string", description: "For input" },
  },
  required: ["action"],
} as const;

const job = {
  type: "object",
  properties: {
    job: { type: "integer" },
    command: { type: "string" },
    state: { type: "string" },
    ran_s: { type: "integer" },
    log: { type: "string" },
  },
} as const;

export const output = {
  type: "object",
  properties: {
    job: { type: "integer", description: "Number of the job" },
    state: { type: "string", description: "running or ended" },
    exit_code: { type: "integer", description: "How it ended; 128+N after signal N" },
    ran_s: { type: "integer", description: "How long it has run, in seconds" },
    matched: { type: "string", description: "The line that matches until" },
    output: { type: "string", description: "What it has printed since it was last looked at" },
    hint: { type: "string" },
    log: { type: "string", description: "File with everything that it has printed" },
    jobs: { type: "array", items: job, description: "All jobs of the conversation, for list" },
    truncated: { type: "boolean", description: "Whether the beginning of the output was left out" },
  },
} as const;
