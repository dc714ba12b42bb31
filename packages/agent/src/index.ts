// The public API: agents and single tasks for programs, with their options, events and errors.

export { IkigaiError } from "@ikigai/core";
export type {
  FinishReason,
  Image,
  LanguageModel,
  PatienceConfig,
  ShownImage,
  ShownVisual,
  ThinkingLevel,
  Usage,
} from "@ikigai/models";
export { ModelError, type ModelErrorCode, type ModelErrorOptions } from "@ikigai/models";
export type {
  Answer,
  AnswerTool,
  Ask,
  PendingCall,
  PermissionMode,
  PermissionRule,
  Question,
  RulePlace,
  ToolQuestion,
  Verdict,
} from "@ikigai/permission";
export { AgentError, type AgentErrorCode, type TurnEndReason } from "@ikigai/session";
export type { AgentOptions, AgentPermission, QueryOptions } from "./agent/agent-options.ts";
export { type Agent, createAgent, type RunOptions } from "./agent/create-agent.ts";
export {
  type QueryCall,
  type QueryEvent,
  type QueryResult,
  type QuerySession,
  type QueryUsage,
  query,
} from "./agent/query.ts";
export type { ConfigPlace, ConfigProblem } from "./config/config.ts";
export { ConfigError } from "./config/config.ts";
export type { AgentEvent, RetryNotice, TurnEnd, UserInput } from "./turn/agent-event.ts";
