export { type DiscoverOptions, discover } from "./discovery/discover.ts";
export { type KnownTool, knownTools } from "./discovery/known-tools.ts";
export type { LauncherSettings } from "./discovery/launched-candidates.ts";
export { type ProjectOverride, projectOverrides } from "./discovery/project-overrides.ts";
export { renderFailure } from "./discovery/render-failure.ts";
export { type ToolDirectory, type ToolPlaces, toolDirectories } from "./discovery/tool-directories.ts";
export type { CallArguments } from "./execution/call-arguments.ts";
export { callTool, notFound } from "./execution/call-tool.ts";
export { execute, executeCall } from "./execution/execute.ts";
export type { AheadProcess, ExecuteOptions, ExpectedCall, SpareTools } from "./execution/execute-options.ts";
export { callVariables } from "./execution/logged-variables.ts";
export { failedOutcome, type Outcome } from "./execution/outcome.ts";
export { type PreparedCall, prepareCall } from "./execution/prepare-call.ts";
export { spareTools } from "./execution/spare-tools.ts";
export { startAhead } from "./execution/start-ahead.ts";
export { findLeftovers, type Leftovers } from "./leftovers/find-leftovers.ts";
export { mayChange } from "./place/sandbox/may-change.ts";
export type { SandboxPolicy, SandboxSettings } from "./place/sandbox/sandbox-policy.ts";
export { sandboxProblem } from "./place/sandbox/sandbox-problem.ts";
export { providerKeyNames } from "./place/tool-environment.ts";
export { type ChildDescriptor, childStdio } from "./process/child-stdio.ts";
export { closeInheritedDescriptors } from "./process/inherited-descriptors.ts";
export { pathOutsideProject } from "./process/path-outside-project.ts";
export { programOutput } from "./process/program-output.ts";
export { isSecretVariable, secretNamePatterns, withoutSecretVariables } from "./process/secret-variables.ts";
export type { FileIdentity } from "./registry/file-identity.ts";
export { findTool } from "./registry/find-tool.ts";
export { hashTool } from "./registry/hash-tool.ts";
export type { Launcher } from "./registry/launcher.ts";
export { nearestName } from "./registry/nearest-name.ts";
export type {
  FailedTool,
  FailureReason,
  RegisteredTool,
  Registry,
  ShadowedTool,
  TrustStatus,
} from "./registry/registry.ts";
export { registryChanged } from "./registry/registry-changed.ts";
export type { Stamps } from "./registry/stamps.ts";
export { revokeTrust, type TrustPlace, trust, trustFiles, trustStatus } from "./trust/project-trust.ts";
export type { TrustedFile, TrustReport } from "./trust/trust-report.ts";
