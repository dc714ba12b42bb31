export type { LoginUrl } from "./bridge/auth/login.ts";
export type { Inspection } from "./bridge/inspect.ts";
export { changeCounts } from "./definitions/change-counts.ts";
export { compareTools, isUnchanged, type ToolChanges } from "./definitions/compare-tools.ts";
export {
  type DefinedTool,
  type Definitions,
  defineTools,
  type LeftOutTool,
  maxTools,
} from "./definitions/define-tools.ts";
export type { ListedTool } from "./definitions/listed-tool.ts";
export type { NameFilter } from "./definitions/name-filter.ts";
export { nameServers } from "./definitions/name-servers.ts";
export { serverNameProblem, toolPrefix } from "./definitions/server-name.ts";
export { inspectText, wrappedBridge, wrappedLine, wrapperFileName } from "./definitions/wrapper.ts";
export { changesSince, hasChanged, recordChanges } from "./server/changes-file.ts";
export { expandEntry, variablesOf } from "./server/expand-entry.ts";
export { hideSecrets } from "./server/hide-secrets.ts";
export { lacksLogin, loginServer } from "./server/login-file.ts";
export { bytesOf, packageFiles, toolsFileOf } from "./server/package-files.ts";
export { readServerConfigFile, renderConfigFault, type ServerConfigFile } from "./server/read-config-file.ts";
export { type ConfigFault, type ConfiguredServer, readServerConfig } from "./server/read-server-config.ts";
export { removeOldest } from "./server/remove-oldest.ts";
export { readSecrets, withSecrets, writeSecrets } from "./server/secrets-file.ts";
export { inPackage, isStdio, readServerEntry, type ServerEntry, withOwnHost } from "./server/server-entry.ts";
export {
  type AddedTool,
  packageName,
  readServerPackage,
  type ServerFacts,
  type ServerFile,
  type ServerPackage,
} from "./server/server-file.ts";
export {
  changesFileName,
  dataOfPackage,
  readServerLabel,
  type ServerLabel,
  serverFileName,
  serverTarget,
} from "./server/server-label.ts";
