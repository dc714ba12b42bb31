/** The ending of a tool's file name. */
export const toolSuffix = "-tool";

/** Tool names that every model provider accepts. The name is that of the file without `-tool`, with `_` for `-`. */
export const toolNamePattern = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
