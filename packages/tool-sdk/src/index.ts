/// <reference path="../build/ikigai-compiled.d.ts" preserve="true" />
export { argumentAliases, drainMs, maxTimeoutMs } from "@ikigai/protocol";
export { checkPath } from "./check-path.ts";
export type { CompiledTool, SchemaViolation } from "./compiled.ts";
export { defineTool, type ObjectSchema, type ToolContext, type ToolDefinition } from "./define-tool.ts";
export { encodeText } from "./encode-text.ts";
export { isCharacterBoundary } from "./escaped-length.ts";
export { failureFromErrno } from "./failure-from-errno.ts";
export { leaveOutMiddle, type TextEnds } from "./fit-answer.ts";
export { followLinks } from "./follow-links.ts";
export { checkRegularFile, openRegularFile, type RegularFile } from "./open-regular-file.ts";
export { type FileLock, loadSpawning, lockFile, writeAtomically } from "./replace-file.ts";
export { serve } from "./serve.ts";
export { monotonicMs } from "./stop-time.ts";
export { type FailureDetails, ToolFailure } from "./tool-failure.ts";
export { writeAll } from "./write-all.ts";
export { WriteConflict } from "./write-conflict.ts";
