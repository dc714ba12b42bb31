export type { Launcher, SandboxSettings } from "@ikigai/sandbox";
export { type DiscoverOptions, discover } from "./discovery/discover.ts";
export type { LauncherSettings } from "./discovery/list-candidates.ts";
export type { TemporaryTools, ToolDirectory } from "./discovery/tool-directories.ts";
export type { ExecuteOptions, SpareTools } from "./execution/call-options.ts";
export { callTool } from "./execution/call-tool.ts";
export { execute } from "./execution/execute.ts";
export type { Job, JobEnd, JobKeeper, Jobs } from "./execution/jobs.ts";
export type { Outcome } from "./execution/outcome.ts";
export type { HostApi, HostFunction, Requester } from "./execution/requests/host-api.ts";
export { spareTools } from "./execution/spare-tools.ts";
export { IkigaiError, type IkigaiErrorOptions } from "./ikigai-error.ts";
export {
  type FailedSkill,
  type FailedTool,
  type FailureReason,
  type FileIdentity,
  findTool,
  type RegisteredTool,
  type Registry,
  registryChanged,
  type ShadowedTool,
  type Skill,
  type TrustStatus,
} from "./registry/registry.ts";
export type { Stamps } from "./registry/stamps.ts";
export type { Catalog } from "./skills/catalog.ts";
export type { TrustPlace } from "./trust/project-roots.ts";
export { revokeTrust, trust, trustStatus } from "./trust/project-trust.ts";
export type { TrustedFile, TrustReport } from "./trust/trust-report.ts";
export { TrustStoreProblem, type TrustStoreProblemCode } from "./trust/trust-store.ts";
