// For ikigai's own packages. It may change in any version.

/** It has a state, so a program must have it only once. */
export { temporaryDirectory as sandboxTemporaryDirectory } from "@ikigai/sandbox";
export {
  type CallArguments,
  outsideArgument,
} from "./call/arguments.ts";
export { dataDirectory, dataRoot, namedDataDirectory, outputsDirectory, unusedData } from "./call/directories.ts";
export { executeCall, notFound } from "./call/execute.ts";
export { startsAgents } from "./call/host-api.ts";
export type {
  AheadProcess,
  CallOptions,
  ExpectedCall,
  PreparedCall,
  ServedStatus,
  ServiceInfo,
  ServiceStatus,
} from "./call/options.ts";
export { failedOutcome } from "./call/outcome.ts";
export { prepareCall } from "./call/prepare-call.ts";
export { toolDirectories } from "./discovery/candidates.ts";
export {
  knownTools,
  projectOverrides,
  renderFailure,
} from "./discovery/known-tools.ts";
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
  toolMeant,
} from "./hooks/hook.ts";
export {
  type HookOptions,
  type HookRun,
  runHook,
} from "./hooks/run-hook.ts";
export { Jobs } from "./jobs/jobs.ts";
export { findLeftovers, type Leftovers } from "./leftovers/find-leftovers.ts";
export { mayChange, sandboxProblem } from "./leftovers/sandbox.ts";
export { markedProcess } from "./leftovers/settle.ts";
export { agentDepth, hostCallId } from "./process/tool-command.ts";
export { firstChange, hashTool, stampAt } from "./registry/stamps.ts";
export { catalogOf, takesCatalog } from "./skills/catalog.ts";
export { agreeToNeeds, describeNeeds, forgetNeeds, hasOpenNeeds } from "./trust/needs.ts";
export { sharedSkillPlaces, untrustedWords } from "./trust/project-files.ts";
export { loadTrustStore, trustFiles } from "./trust/trust.ts";
export { startAhead } from "./workers/start-ahead.ts";
