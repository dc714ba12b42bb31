export { type CallEnd, type CallOptions, call } from "./call.ts";
export type { Check } from "./check.ts";
export { type CheckCommand, runCheckCommand } from "./check-command.ts";
export { type CheckOptions, type CheckResult, checkTool, type Report } from "./check-tool.ts";
export { conformance } from "./conformance.ts";
export { type DescribeOptions, describeTool } from "./describe-tool.ts";
export { isRunning } from "./is-running.ts";
export type { SubjectOptions } from "./subject.ts";
export { type TreeEntry, tempDir } from "./temp-dir.ts";
