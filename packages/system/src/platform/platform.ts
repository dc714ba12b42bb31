/** Whether this is Linux, where `/proc` shows processes, descriptors and limits. */
export const isLinux = process.platform === "linux";

/** Whether this is macOS. Code that depends on it is not covered by tests on Linux. */
export const isMacOs = process.platform === "darwin";

/** The longest path that a system call accepts, in bytes: `PATH_MAX`. */
export const maxPathBytes = isMacOs ? 1_024 : 4_096;
