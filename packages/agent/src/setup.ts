// What the command needs of this package outside of a conversation, for the user's files: apart, so that a conversation does not load it.
// Not covered by semantic versioning: it may change in any release.

export { fileProblems } from "./agent/privacy-problems.ts";
export { offeredSandbox } from "./agent/session-sandbox.ts";
export { configSchema, fileSchema, type Shape, themeNamePattern } from "./config/config-shape.ts";
export { isApiKey } from "./config/credentials.ts";
export {
  changeSettings,
  configText,
  parseSettingKey,
  removeRule,
  replaceConfigText,
  type SettingChange,
  type SettingPath,
  savedRuleText,
  saveRule,
  settingKeys,
  withProperty,
} from "./config/edit-config.ts";
export { type KeyStorage, keyringName, removeKey, storeKey, storeTokens } from "./config/keyring.ts";
export { type DataFile, readDataFile } from "./config/read-config.ts";
