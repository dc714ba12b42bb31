export { type CallEnd, type CallOptions, call, ownExecutable } from "./call.ts";
export type { Check } from "./check.ts";
export { type CheckCommand, runCheckCommand, statusLine } from "./check-command.ts";
export {
  type CheckOptions,
  type CheckResult,
  checkTool,
  type DescribeOptions,
  describeTool,
  type Report,
} from "./check-tool.ts";
export { conformance } from "./conformance.ts";
export { isRunning } from "./process-group.ts";
export { type ServedCall, type ServedProcess, type ServeOptions, startServed } from "./served-process.ts";
export type { SandboxedEnd, SandboxedTool, SubjectOptions } from "./subject.ts";
export { type TreeEntry, tempDir } from "./temp-dir.ts";
