/** How the file name of a tool ends. */
export const toolSuffix = "-tool";

/** The names that every model provider accepts. A tool's name is its file's, without `-tool`, with `_` for `-`. */
export const toolNamePattern = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
