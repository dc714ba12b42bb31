export { AgentError, type AgentOptions } from "./agent/agent-options.ts";
export { type Agent, createAgent } from "./agent/create-agent.ts";
export { ConfigError } from "./config/config-error.ts";
export { ModelError } from "./model/model-error.ts";
export type { Answer, Ask, PermissionMode, PermissionRule, Question } from "./permission/permission.ts";
export type { LanguageModel } from "./providers/language-model.ts";
export { SessionError } from "./session/find-session.ts";
export type { AgentEvent, TurnEnd } from "./turn/agent-event.ts";
export type { UserInput } from "./turn/user-input.ts";
