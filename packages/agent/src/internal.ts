// What the command needs from this package. Not covered by semantic versioning: it may change in any release.

export { type AgentContext, openAgent } from "./agent/open-agent.ts";
export { overridesOf } from "./agent/project-overrides.ts";
export { TaskReport } from "./agent/query.ts";
export { serveCalls } from "./agent/serve-calls.ts";
export { requestParts, runUsersCall, takeTurn } from "./agent/take-turn.ts";
export { openToolbox, type Places, toolSetup } from "./agent/tool-setup.ts";
export type { Config } from "./config/config.ts";
export { renderConfigProblem } from "./config/config.ts";
export { configPath, loadConfig, problemOfRule, readConfig, rulesDirectory } from "./config/read-config.ts";
export { storedKeys } from "./config/stored-keys.ts";
export type { SandboxFlags, ToolRules } from "./config/tool-settings.ts";
export { testHooks } from "./hooks/test-hooks.ts";
export type { BackgroundJob } from "./jobs/background-jobs.ts";
export { directoryToAdd } from "./project/added-directories.ts";
export { type CustomCommand, commandProblems, customCommands } from "./project/custom-commands.ts";
export { findInstructions } from "./project/find-instructions.ts";
export { namedAgents } from "./subagents/agents.ts";
export { agentsWork, type StartedAgent, startedAgents } from "./subagents/agents-work.ts";
export { withImages, withVisuals } from "./turn/answer-files.ts";
export { checkArguments } from "./turn/call-arguments.ts";
export { readOutputSchema } from "./turn/output-schema.ts";
export { recordTypedCall } from "./turn/record-call.ts";
export { selectTools } from "./turn/sent-tools.ts";
export { endsPlan } from "./turn/system-prompt.ts";
export { withoutSecrets } from "./turn/without-secrets.ts";
