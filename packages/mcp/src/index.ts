export type { LoginUrl } from "./bridge/auth/login.ts";
export type { Inspection } from "./bridge/inspect.ts";
export { changeCounts, compareTools, isUnchanged, type ToolChanges } from "./definitions/compare-tools.ts";
export {
  type DefinedTool,
  type Definitions,
  defineTools,
  type LeftOutTool,
  maxTools,
} from "./definitions/define-tools.ts";
export type { ListedTool } from "./definitions/listed-tool.ts";
export { type NameFilter, nameServers, serverNameProblem, toolPrefix } from "./definitions/server-names.ts";
export { inspectText, wrappedBridge, wrappedLine, wrapperFileName } from "./definitions/wrapper.ts";
export { bytesOf, packageFiles, toolsFileOf } from "./server/package-files.ts";
export {
  type ConfigFault,
  type ConfiguredServer,
  readServerConfig,
  readServerConfigFile,
  renderConfigFault,
  type ServerConfigFile,
} from "./server/read-server-config.ts";
export { lacksLogin, loginServer, readSecrets, withSecrets, writeSecrets } from "./server/secrets-file.ts";
export {
  expandEntry,
  hideSecrets,
  inPackage,
  isStdio,
  readServerEntry,
  type ServerEntry,
  variablesOf,
  withOwnHost,
} from "./server/server-entry.ts";
export {
  type AddedTool,
  changesFileName,
  changesSince,
  dataOfPackage,
  hasChanged,
  packageName,
  readServerLabel,
  readServerPackage,
  recordChanges,
  removeOldest,
  type ServerFacts,
  type ServerFile,
  type ServerLabel,
  type ServerPackage,
  serverFileName,
  serverTarget,
} from "./server/server-file.ts";
