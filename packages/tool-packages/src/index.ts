export type { DependencyLock } from "./dependency-lock.ts";
export { type FetchedProgram, fetchProgram } from "./fetch-npm.ts";
export { fetchPackage, type StagedPackage } from "./fetch-package.ts";
export { entryFor, install, refuseConflicts, trustInstalled, uninstall } from "./install.ts";
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
export { exactSource, readSource, type Source, serverOf, serverSource } from "./read-source.ts";
export { Refusal, type RefusalCode } from "./refusal.ts";
export { npmTimeouts, runProgram } from "./run-program.ts";
export { type Stage, withStage } from "./stage.ts";
export {
  type HerePlace,
  herePlaces,
  hereRoot,
  type ProjectPlaces,
  packageData,
  recordDirectory,
  type ToolRoot,
  tidyHere,
  toolRoot,
  userRoots,
} from "./tool-root.ts";
export { compareTrees, type FileDifference, hashFile, hashTree } from "./tree.ts";
