// What the command needs of this package to set it up: apart, so that a conversation does not load it. Not under semantic versioning.

export { offeredSandbox } from "./agent/session-sandbox.ts";
export { configSchema, fileSchema, type Shape, themeNamePattern } from "./config/config-shape.ts";
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
