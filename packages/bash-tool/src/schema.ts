export const parameters = {
  type: "object",
  properties: {
    command: { type: "string", description: "Shell command to execute" },
    timeout_ms: {
      type: "integer",
      minimum: 1,
      description: "Milliseconds until it continues as a job (default: 30000, at most 600000)",
    },
    background: {
      type: "boolean",
      description: "Start it as a job and return at once (whatever else it leaves running is killed)",
    },
  },
  required: ["command"],
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "What the command printed to stdout and stderr, in order" },
    exit_code: { type: "integer", description: "124 after a timeout, 128+N after signal N" },
    job: { type: "boolean", description: "Whether the command continues as a job; then there is no exit code yet" },
    pid: { type: "integer", description: "Process and process group of a background command that is no job" },
    log: { type: "string", description: "File with the output of a command that continues" },
    output_file: { type: "string", description: "File with the whole output, if it is more than an answer holds" },
    hint: { type: "string", description: "How to get the rest, or what to do about a job" },
    truncated: {
      type: "boolean",
      description: "Whether the middle of the output was left out because it was too long",
    },
  },
  required: ["output"],
} as const;
