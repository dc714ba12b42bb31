// The public API: finding tools, calling them, and the user's trust in a project.

export type { Launcher, SandboxSettings } from "@ikigai/sandbox";
export { callTool, execute } from "./call/execute.ts";
export type { HostApi, HostFunction, Requester } from "./call/host-api.ts";
export type { ExecuteOptions, SpareTools } from "./call/options.ts";
export { failedOutcome, type Outcome } from "./call/outcome.ts";
export type { LauncherSettings, TemporaryTools, ToolDirectory } from "./discovery/candidates.ts";
export { type DiscoverOptions, discover } from "./discovery/discover.ts";
export { IkigaiError, type IkigaiErrorOptions, TrustStoreProblem, type TrustStoreProblemCode } from "./errors.ts";
export type { Job, JobEnd, JobKeeper, Jobs } from "./jobs/jobs.ts";
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
export type { TrustedFile, TrustPlace, TrustReport } from "./trust/project-files.ts";
export { revokeTrust, trust, trustStatus } from "./trust/trust.ts";
export { spareTools } from "./workers/pool.ts";
