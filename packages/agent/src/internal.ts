// What the command needs from this package. Not covered by semantic versioning: it may change in any release.

export {
  type AgentContext,
  changeConversation,
  closeAgent,
  endSession,
  openAgent,
  releaseAgent,
  removeOverflow,
  stopAgent,
  type ToolNotes,
} from "./agent/open-agent.ts";
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
export { frameFor, runUsersCall, type TakeTurnOptions, takeTurn } from "./agent/take-turn.ts";
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
export { recordTypedCall } from "./turn/run-typed-call.ts";
export { selectTools, type ToolSelection } from "./turn/sent-tools.ts";
export { endsPlan, promptParts, type SystemPromptOptions } from "./turn/system-prompt.ts";
export type { TurnOptions } from "./turn/turn-options.ts";
export type { UserInput } from "./turn/user-input.ts";
export { withoutSecrets } from "./turn/without-secrets.ts";
