// What the command needs from this package. Not covered by semantic versioning: it may change in any release.

export type {
  AssistantMessage,
  AssistantPart,
  Image,
  Message,
  PatienceConfig,
  ProviderMetadata,
  ReasoningPart,
  StoredKeys,
  TextPart,
  ToolCallPart,
  ToolMessage,
  TypedCall,
  UserMessage,
} from "@ikigai/models";
export {
  addUsage,
  defaultModels,
  expectedMessage,
  type FinishReason,
  isDocument,
  type KnownModels,
  knownModels,
  listingServer,
  listModels,
  type Model,
  ModelError,
  type ModelErrorCode,
  type ModelEvent,
  type ModelFacts,
  type ModelRequest,
  type ModelTool,
  modelChoice,
  modelFacts,
  modelProblem,
  noUsage,
  type OwnModels,
  type ProviderName,
  parseModelName,
  providerInUse,
  providerNames,
  providerTable,
  type ResolveModelOptions,
  resolveModel,
  type SessionModel,
  type ShownImage,
  type ShownVisual,
  secretsOf,
  sessionModel,
  setupText,
  setupTextInConversation,
  shortSetupText,
  type ThinkingLevel,
  thinkingLevels,
  toKept,
  type Usage,
  unusableModel,
} from "@ikigai/models";
export type {
  Answer,
  AnswerTool,
  Ask,
  Confirm,
  Decision,
  PendingCall,
  Permission,
  PermissionMode,
  PermissionRule,
  Question,
  RulePlace,
  ToolQuestion,
  Verdict,
  YesOrNo,
} from "@ikigai/permission";
export {
  decide,
  insertRule,
  isReader,
  namesTool,
  parseRule,
  type RuleParts,
  type RuleProblem,
  ruleProblem,
  stricterRule,
  takesUrl,
  whyStillAsked,
} from "@ikigai/permission";
export {
  type AgentContext,
  type ContextOptions,
  changeConversation,
  openContext,
  removeOverflow,
  type ToolNotes,
} from "./agent/agent-context.ts";
export { endSession } from "./agent/end-session.ts";
export { openToolbox, type Places, type Toolbox } from "./agent/open-toolbox.ts";
export { looseFiles, privacyProblems } from "./agent/privacy-problems.ts";
export { type Override, overridesOf } from "./agent/project-overrides.ts";
export { type ServeCall, type ServedCall, type ServedOutcome, serveCalls } from "./agent/serve-calls.ts";
export { openNetwork } from "./agent/session-network.ts";
export {
  argumentsJson,
  eventLine,
  jsonObject,
  type Report,
  record,
  resultJson,
  resultLine,
  sessionLine,
  type TaskEnd,
} from "./agent/stream-json.ts";
export { frameFor, type TakeTurnOptions, takeTurn } from "./agent/take-turn.ts";
export { AgentError, type AgentErrorCode } from "./agent-error.ts";
export type { Config, ConfigPlace, ConfigProblem, LoadedConfig } from "./config/config.ts";
export { ConfigError, renderConfigProblem } from "./config/config-error.ts";
export { credentialsPath, isKey, type KeyPlaces } from "./config/credentials.ts";
export {
  checkConfigText,
  configPath,
  loadConfig,
  problemOfRule,
  projectRules,
  readConfig,
  rulesDirectory,
  savedRules,
} from "./config/load-config.ts";
export { storedKeys } from "./config/stored-keys.ts";
export {
  type SandboxFlags,
  sandboxSettings,
  type ToolOwner,
  type ToolRules,
  type ToolSettings,
  toolRules,
} from "./config/tool-settings.ts";
export { type ContextFrame, type ContextUse, contextSize, contextUse } from "./context/context-size.ts";
export { compactConversation } from "./context/summarise.ts";
export { beforeCall } from "./hooks/before-call.ts";
export type { HookAnswer } from "./hooks/hook-answer.ts";
export type { EventFields, HookCall, HookScene, Hooks } from "./hooks/hook-input.ts";
export { openHooks } from "./hooks/open-hooks.ts";
export { contextOf, hooksFor, runAll as runHooks } from "./hooks/run-hooks.ts";
export { promptHooks, stopWish } from "./hooks/session-hooks.ts";
export { type BackgroundJob, backgroundJobs, endJob, isJobRunning } from "./jobs/background-jobs.ts";
export { ConversationJobs } from "./jobs/conversation-jobs.ts";
export {
  type CustomCommand,
  customCommands,
  expandCommand,
  unsafeCommand,
  unusableCommands,
} from "./project/custom-commands.ts";
export { type FoundInstructions, findInstructions, type Instructions } from "./project/find-instructions.ts";
export { readRecording, type WantedRecording } from "./replay/read-recording.ts";
export {
  type RecordedAnswers,
  type RecordedCall,
  type RecordedStep,
  type Recording,
  recordedAnswers,
  recordedHost,
  recordedModel,
} from "./replay/recorded-answers.ts";
export { type ChangedFile, restoreFile } from "./rewind/restore-file.ts";
export { changedFiles, lastRewind, rewindConversation, type UserTurn, userTurns } from "./rewind/rewind.ts";
/** @internal Its types are those of a private package. */
export { openProjectUndo, type ProjectUndo, type UndoPlace } from "./rewind/undo.ts";
export type { Conversation, PastTurn } from "./session/conversation.ts";
export { isSessionOpen, sessionId } from "./session/find-session.ts";
export { maxImageBytes, readKept, toImage, withBytes } from "./session/kept-files.ts";
export {
  lastConversation,
  listSessions,
  requireReadable,
  type SessionSummary,
  sessionProblems,
  takeUp,
} from "./session/list-sessions.ts";
export { lastAnswer, networkedCalls } from "./session/read-kept-lines.ts";
export { recordUse } from "./session/reading.ts";
export {
  type ForkOptions,
  forkConversation,
  type ResumedConversation,
  resumeConversation,
} from "./session/resume-conversation.ts";
export type { HostUse, SessionEvent, SessionLine, ToolStart, TurnEndReason } from "./session/session-event.ts";
export { hasAgents, outputsDir, stateDir } from "./session/session-files.ts";
export { noLog, readOnlyLog, type SessionLog } from "./session/session-log.ts";
export { newSessionId, type StartOptions, startConversation } from "./session/start-conversation.ts";
export { asTyped } from "./session/typed-calls.ts";
export type { Agents, HeldGrant } from "./subagents/agent-state.ts";
export { heldGrant, recordSpent, withinGrant } from "./subagents/agents.ts";
export {
  type AgentsWork,
  agentSessions,
  agentsWork,
  backgroundAgents,
  endAgent,
  noWork,
  type StartedAgent,
  startedAgents,
} from "./subagents/agents-work.ts";
export { namedAgents } from "./subagents/named-agents.ts";
export type { AgentEvent, RetryNotice, TurnEnd } from "./turn/agent-event.ts";
export { withVisuals } from "./turn/answer-visuals.ts";
export { checkArguments } from "./turn/check-arguments.ts";
export { promptText } from "./turn/frozen-prompt.ts";
export { type OutputSchema, readOutputSchema } from "./turn/output-schema.ts";
export { runTurn } from "./turn/run-turn.ts";
export { recordTypedCall, runTypedCall, type TypedCallOptions } from "./turn/run-typed-call.ts";
export { selectTools, type ToolSelection } from "./turn/sent-tools.ts";
export { endsPlan, promptParts, type SystemPromptOptions } from "./turn/system-prompt.ts";
export type { TurnOptions } from "./turn/turn-options.ts";
export type { UserInput } from "./turn/user-input.ts";
export { progressWithoutSecrets, withoutSecrets } from "./turn/without-secrets.ts";
