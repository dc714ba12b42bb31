// For authors of tools: the checks (`checkTool`, `describeTool`), and programs that call a tool as a host would (run/).

export type { Check } from "./checks/check.ts";
export {
  type CheckOptions,
  type CheckResult,
  checkTool,
  conformance,
  type DescribeOptions,
  describeTool,
  type Report,
} from "./checks/check-tool.ts";
export { type CheckCommand, runCheckCommand, statusLine } from "./report/check-command.ts";
export { type CallEnd, type CallOptions, call, isRunning, ownExecutable } from "./run/run-process.ts";
export { type ServedCall, type ServedProcess, type ServeOptions, startServed } from "./run/served-process.ts";
export type { SandboxedEnd, SandboxedTool, SubjectOptions } from "./run/subject.ts";
export { type TreeEntry, tempDir } from "./run/temp-dir.ts";
