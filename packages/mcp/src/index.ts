// MCP servers as tools, for the command: add, update, remove and log in to servers, and read what is configured. The bridge that a call starts
// is a program of its own (bridge/).

export { AddedServer } from "./added/added-servers.ts";
export {
  addServer,
  checkServer,
  removeServer,
  type ServerCheck,
  type ServerOffer,
  type ServerUpdate,
  updateServer,
  type WantedServer,
} from "./added/change-servers.ts";
export { logIn, logOut } from "./added/log-in.ts";
export { nearServerName, serverNameProblem } from "./definitions/server-names.ts";
export {
  type ConfiguredServer,
  describeServer,
  readServerConfigFile,
  renderConfigFault,
} from "./server/read-server-config.ts";
export { readServerEntry, type ServerEntry } from "./server/server-entry.ts";
