export { drainMs, maxTimeoutMs } from "@ikigai/protocol";
export type { CompiledTool, SchemaViolation } from "./compiled.ts";
export { defineTool, type ObjectSchema, type ToolContext, type ToolDefinition } from "./define-tool.ts";
export { leaveOutMiddle, type TextEnds } from "./fit-answer.ts";
export { serve } from "./serve.ts";
export { type FailureDetails, ToolFailure } from "./tool-failure.ts";
export { writeAll } from "./write-all.ts";
