export { IkigaiError } from "@ikigai/core";
export type { AgentOptions, AgentPermission } from "./agent/agent-options.ts";
export { type Agent, createAgent, type RunOptions } from "./agent/create-agent.ts";
export {
  type QueryCall,
  type QueryEvent,
  type QueryResult,
  type QuerySession,
  type QueryUsage,
  query,
} from "./agent/query.ts";
export type { QueryOptions } from "./agent/query-options.ts";
export type { ConfigPlace, ConfigProblem, PatienceConfig } from "./config/config.ts";
export { ConfigError } from "./config/config-error.ts";
export { AgentError, type AgentErrorCode } from "./model/agent-error.ts";
export type { Image } from "./model/message.ts";
export type { FinishReason, ThinkingLevel } from "./model/model.ts";
export { ModelError, type ModelErrorCode, type ModelErrorOptions } from "./model/model-error.ts";
export type { ShownImage, ShownVisual } from "./model/shown-visual.ts";
export type { Usage } from "./model/usage.ts";
export type {
  Answer,
  Ask,
  PendingCall,
  PermissionRule,
  Question,
  RulePlace,
  Verdict,
} from "./permission/permission.ts";
export type { PermissionMode } from "./permission/permission-modes.ts";
export type { AnswerTool, ToolQuestion } from "./permission/tool-question.ts";
export type { LanguageModel } from "./providers/language-model.ts";
export type { TurnEndReason } from "./session/session-event.ts";
export type { AgentEvent, RetryNotice, TurnEnd } from "./turn/agent-event.ts";
export type { UserInput } from "./turn/user-input.ts";
