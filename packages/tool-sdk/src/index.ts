/// <reference path="../build/ikigai-compiled.d.ts" preserve="true" />
export type { Progress, ToolErrorCode } from "@ikigai/protocol";
export type { AnyTool } from "./answer-call.ts";
export type { CompiledTool, SchemaViolation } from "./compiled.ts";
export { defineTool, type ObjectSchema, type SchemaValue, type ToolDefinition } from "./define-tool.ts";
export { serve } from "./serve.ts";
export { monotonicMs } from "./stop-time.ts";
export type { ToolContext } from "./tool-context.ts";
export { type FailureDetails, ToolFailure } from "./tool-failure.ts";
