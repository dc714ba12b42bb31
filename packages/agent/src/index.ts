export type { AgentEvent, TurnEnd, TurnEndReason } from "./agent-event.ts";
export type {
  Config,
  ConfigProblem,
  LoadedConfig,
  PatienceConfig,
  ProviderConfig,
  ProviderName,
  ToolConfig,
} from "./config.ts";
export type { Conversation } from "./conversation.ts";
export { decide } from "./decide.ts";
export { listSessions, type SessionSummary } from "./list-sessions.ts";
export { loadConfig } from "./load-config.ts";
export type {
  AssistantMessage,
  AssistantPart,
  Message,
  ProviderMetadata,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from "./message.ts";
export type { FinishReason, Model, ModelEvent, ModelRequest, ModelTool } from "./model.ts";
export { ModelError, type ModelErrorCode } from "./model-error.ts";
export type {
  Answer,
  Ask,
  Decision,
  PendingCall,
  Permission,
  PermissionMode,
  PermissionRule,
  Question,
  Verdict,
} from "./permission.ts";
export { type ResolveModelOptions, resolveModel } from "./resolve-model.ts";
export { type ResumedConversation, resumeConversation } from "./resume-conversation.ts";
export { runTurn, type TurnOptions } from "./run-turn.ts";
export { saveRule } from "./save-rule.ts";
export type { SessionEvent, SessionLine } from "./session-event.ts";
export type { SessionLog } from "./session-log.ts";
export { type StartOptions, startConversation } from "./start-conversation.ts";
export { type SystemPromptOptions, systemPrompt } from "./system-prompt.ts";
export { addUsage, noUsage, type Usage } from "./usage.ts";
