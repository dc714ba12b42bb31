/// <reference path="../build/ikigai-compiled.d.ts" preserve="true" />
export type {
  AskParams,
  AskResult,
  ChartSeries,
  ChartVisual,
  DiffVisual,
  ImageVisual,
  JobAction,
  JobParams,
  JobResult,
  Progress,
  QuestionKind,
  TableVisual,
  ToolErrorCode,
  Visual,
  VisualCell,
} from "@ikigai/protocol";
export type { AnyService, AnyTool, BuiltTool, ObjectSchema } from "./any-tool.ts";
export { ask } from "./ask.ts";
export type { CommonFields } from "./common-fields.ts";
export type { CompiledTool, SchemaViolation } from "./compiled.ts";
export { type AnswerValue, defineTool, type SchemaValue, type ToolDefinition } from "./define-tool.ts";
export { type JobRequest, requestJob } from "./request-host.ts";
export { serve } from "./serve.ts";
export type { ServiceContext, ServiceDefinition, ToolService } from "./service-definition.ts";
export { defineService } from "./service-from.ts";
export { show } from "./show.ts";
export type { StopSignal } from "./stop-signal.ts";
export { monotonicMs } from "./stop-time.ts";
export type { ToolContext } from "./tool-context.ts";
export { type FailureDetails, ToolFailure } from "./tool-failure.ts";
