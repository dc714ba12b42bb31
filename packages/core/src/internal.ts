// For ikigai's own packages. It may change in any version.

export { type KnownTool, knownTools } from "./discovery/known-tools.ts";
export { type ProjectOverride, projectOverrides } from "./discovery/project-overrides.ts";
export { renderFailure } from "./discovery/render-failure.ts";
export { type ToolDirectory, type ToolPlaces, toolDirectories } from "./discovery/tool-directories.ts";
export { type CallArguments, parseArguments } from "./execution/call-arguments.ts";
export type { AheadProcess, CallOptions, ExpectedCall, ServedStatus, SpareTools } from "./execution/call-options.ts";
export { notFound } from "./execution/call-tool.ts";
export { dataDirectory, dataRoot, namedDataDirectory, projectPrefix } from "./execution/data-directory.ts";
export { executeCall } from "./execution/execute.ts";
export { failedOutcome } from "./execution/outcome.ts";
export { type PreparedCall, prepareCall } from "./execution/prepare-call.ts";
export type { ServiceInfo, ServiceStatus } from "./execution/service/service-info.ts";
export { startAhead } from "./execution/start-ahead.ts";
export { findLeftovers, type Leftovers } from "./leftovers/find-leftovers.ts";
export { mayChange } from "./place/sandbox/may-change.ts";
export { sandboxProblem } from "./place/sandbox/sandbox-problem.ts";
export { temporaryDirectory as sandboxTemporaryDirectory } from "./place/sandbox/temporary-directory.ts";
export { childStdio } from "./process/child-stdio.ts";
export { findProgram } from "./process/find-program.ts";
export { pathOutsideProject } from "./process/path-outside-project.ts";
export { programOutput } from "./process/program-output.ts";
export { type ProviderVariables, providerKeyNames, providerVariables } from "./process/provider-variables.ts";
export { isSecretVariable } from "./process/secret-variables.ts";
export { nearestName } from "./registry/find-tool.ts";
export { hashTool } from "./registry/hash-tool.ts";
export type { ShadowedTool, TrustStatus } from "./registry/registry.ts";
export { trustFiles } from "./trust/project-trust.ts";
