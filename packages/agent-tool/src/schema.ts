// The arguments and the answer of the tool, for all its actions.

export const parameters = {
  type: "object",
  properties: {
    task: { type: "string" },
    agent: { type: "string", description: "Agent with own instructions" },
    directory: { type: "string" },
    model: { type: "string" },
    tools: { type: "array", items: { type: "string" }, description: "The only tools it may use" },
    worktree: { type: "boolean", description: "Work in a git worktree" },
    from: { type: "string", description: '"session" or a session_id: it starts as its copy' },
    background: { type: "boolean", description: "Return its session_id at once" },
    action: { type: "string", enum: ["start", "wait", "send", "kill", "list"] },
    session_id: { type: "string", description: "For wait, send, kill" },
    message: { type: "string", description: "For send" },
  },
} as const;

export const output = {
  type: "object",
  properties: {
    output: { type: "string", description: "The agent's answer" },
    session_id: { type: "string", description: "The agent's session" },
    turns: { type: "integer", description: "Number of requests to the model" },
    calls: { type: "integer", description: "Number of tool calls" },
    usage: {
      type: "object",
      properties: {
        input_tokens: { type: "integer" },
        output_tokens: { type: "integer" },
        cache_read_tokens: { type: "integer" },
        cache_write_tokens: { type: "integer" },
      },
      description: "Tokens of the agent",
    },
    denied: {
      type: "array",
      items: { type: "string" },
      description: "Calls that the agent was not allowed to make, and what would allow them",
    },
    worktree: { type: "string", description: "The directory with its changes, if it made any" },
    branch: { type: "string", description: "The branch of that worktree" },
    agents: {
      type: "array",
      items: {
        type: "object",
        properties: {
          session_id: { type: "string" },
          agent: { type: "string" },
          task: { type: "string" },
          state: { type: "string", description: "running, ended or killed" },
        },
      },
      description: "The agents of this session, for list",
    },
    truncated: { type: "boolean", description: "The agent was stopped, or its answer was cut" },
    hint: { type: "string", description: "How to continue" },
  },
} as const;
