export { compareTrees, type FileDifference } from "./compare-trees.ts";
export type { DependencyLock } from "./dependency-lock.ts";
export { fetchPackage, type StagedPackage } from "./fetch-package.ts";
export { type FetchedProgram, fetchProgram } from "./fetch-program.ts";
export { type HerePlace, herePlaces, recordDirectory, tidyHere } from "./here-places.ts";
export { entryFor, install, refuseConflicts } from "./install.ts";
export { type InstalledPackage, readRecord } from "./install-record.ts";
export {
  findInstalled,
  type Installed,
  type InstalledTools,
  installedNames,
  installedState,
  installedTools,
  isCalled,
  toolFiles,
  toolsCalled,
} from "./installed-tools.ts";
export { type OfferedTool, offeredTools, type StagedTool, stagedTools } from "./offered-tools.ts";
export { toolNameOf } from "./package-tools.ts";
export { exactSource, readSource, type Source } from "./read-source.ts";
export { Refusal, type RefusalCode } from "./refusal.ts";
export { npmTimeouts, runProgram } from "./run-program.ts";
export { serverOf, serverSource } from "./server-source.ts";
export { type Stage, withStage } from "./stage.ts";
export { hereRoot, type ProjectPlaces, packageData, type ToolRoot, toolRoot, userRoots } from "./tool-root.ts";
export { hashFile, hashTree } from "./tree.ts";
export { trustInstalled } from "./trust-installed.ts";
export { uninstall } from "./uninstall.ts";
