// The tools of others, for the command: find, add, update and remove their packages.

export {
  addPackage,
  type InstallEnd,
  type PackageDialog,
  type PackageOffer,
  packageUpdates,
  type ToolsOffer,
} from "./add-package.ts";
export { fetchProgram } from "./fetch-npm.ts";
export { install, uninstall } from "./install.ts";
export { type InstalledTools, installedTools, toolsCalled } from "./installed-tools.ts";
export { Refusal } from "./refusal.ts";
export { searchRegistries } from "./registries.ts";
export { type Removal, removePackage } from "./remove-package.ts";
export { type FoundPackage, type Search, searchPackages } from "./search.ts";
export { type Stage, withStage } from "./stage.ts";
export { type InstalledPackage, ToolRoot } from "./tool-root.ts";
export { runUserProgram } from "./user-programs.ts";
