// What the command needs of this package to set it up: apart, so that a conversation does not load it. Not under semantic versioning.

export { offeredSandbox } from "./agent/offered-sandbox.ts";
export { configText, replaceConfigText } from "./config/change-config-file.ts";
export { changeSettings, type SettingChange } from "./config/change-settings.ts";
export { configSchema, fileSchema } from "./config/config-schema.ts";
export { type Shape, themeNamePattern } from "./config/config-shape.ts";
export { type DataFile, readDataFile } from "./config/data-file.ts";
export { keyringName } from "./config/keyring.ts";
export { removeRule, savedRuleText, saveRule } from "./config/save-rule.ts";
export { parseSettingKey, type SettingPath, settingKeys } from "./config/setting-key.ts";
export { type KeyStorage, removeKey, storeKey } from "./config/store-key.ts";
