/// <reference path="../build/ikigai-compiled.d.ts" preserve="true" />
export type { CompiledTool, SchemaViolation } from "./compiled.ts";
export { defineTool, type ObjectSchema, type ToolContext, type ToolDefinition } from "./define-tool.ts";
export { serve } from "./serve.ts";
export { monotonicMs } from "./stop-time.ts";
export { type FailureDetails, ToolFailure } from "./tool-failure.ts";
