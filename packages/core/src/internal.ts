// For ikigai's own packages. It may change in any version.

/** It has a state, so a program must have it only once. */
export { outsidePathOf, temporaryDirectory as sandboxTemporaryDirectory } from "@ikigai/sandbox";
export {
  childStdio,
  hereDirectories,
  hereDirectory,
  isSecretVariable,
  type ProviderVariables,
  programEnvironment,
  providerKeyNames,
  providerVariables,
  runProgram,
  startProgram,
} from "@ikigai/system";
export { runStaggered } from "./discovery/discover.ts";
export { type KnownTool, knownTools } from "./discovery/known-tools.ts";
export { type ProjectOverride, projectOverrides } from "./discovery/project-overrides.ts";
export { renderFailure } from "./discovery/render-failure.ts";
export { type ToolDirectory, type ToolPlaces, toolDirectories } from "./discovery/tool-directories.ts";
export { type AgentVariables, startsAgents } from "./execution/agent-variables.ts";
export {
  type CallArguments,
  outsideArgument,
  ownsOutside,
  parseArguments,
  splitOutside,
} from "./execution/call-arguments.ts";
export type { AheadProcess, CallOptions, ExpectedCall, ServedStatus, SpareTools } from "./execution/call-options.ts";
export { notFound } from "./execution/call-tool.ts";
export { dataDirectory, dataRoot, namedDataDirectory, projectPrefix } from "./execution/data-directory.ts";
export { executeCall } from "./execution/execute.ts";
export { type Job, type JobEnd, type JobKeeper, Jobs } from "./execution/jobs.ts";
/** @internal Its module has types of a private package. */
export { mayLeaveJob } from "./execution/leave-job.ts";
export { failedOutcome } from "./execution/outcome.ts";
export { type PreparedCall, prepareCall } from "./execution/prepare-call.ts";
export type { ServiceInfo, ServiceStatus } from "./execution/service/service-info.ts";
export { startAhead } from "./execution/start-ahead.ts";
export { outputsDirectory } from "./execution/state-directory.ts";
export { type FoundHooks, findHooks, type HookFinder } from "./hooks/find-hooks.ts";
export {
  eventAdvice,
  type Hook,
  type HookEvent,
  hookEventNames,
  hookEvents,
  isForTool,
  isHookEvent,
  isShippedTool,
  printable,
  toolMeant,
} from "./hooks/hook.ts";
export {
  type HookOptions,
  type HookRun,
  hookDataOwner,
  runHook,
  whyBroken,
} from "./hooks/run-hook.ts";
export { callMarks } from "./leftovers/call-marks.ts";
export { findLeftovers, type Leftovers } from "./leftovers/find-leftovers.ts";
export { killLeftovers, markedBy } from "./leftovers/kill-leftovers.ts";
export { mayChange, sandboxProblem } from "./place/sandbox.ts";
export { agreeToNeeds, describeNeeds, forgetNeeds, hasOpenNeeds, type NeedyTool } from "./place/tool-needs.ts";
export { agentDepth } from "./process/agent-depth.ts";
export { nearestName, type ShadowedTool, type TrustStatus } from "./registry/registry.ts";
export { firstChange, hashTool, stampAt } from "./registry/stamps.ts";
export { catalogOf, takesCatalog } from "./skills/catalog.ts";
export { projectSkillFiles } from "./skills/skill-directories.ts";
export { userSkills } from "./skills/skills-if-any.ts";
export type { TrustPlace } from "./trust/project-roots.ts";
export { sharedSkillPlaces } from "./trust/project-roots.ts";
export { trustFiles } from "./trust/project-trust.ts";
export { untrustedWords } from "./trust/trust-report.ts";
export { loadTrustStore, trustFile } from "./trust/trust-store.ts";
