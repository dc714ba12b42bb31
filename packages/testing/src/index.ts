export { type CallEnd, type CallOptions, call } from "./call.ts";
export { isRunning } from "./is-running.ts";
export { type TreeEntry, tempDir } from "./temp-dir.ts";
