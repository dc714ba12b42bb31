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
export type { CommonFields } from "./answer.ts";
export type { AnyService, AnyTool, BuiltTool, CompiledTool, ObjectSchema, SchemaViolation } from "./built-tool.ts";
export { type AnswerValue, defineTool, type SchemaValue, type ToolDefinition } from "./define-tool.ts";
export { type FailureDetails, ToolFailure } from "./failure.ts";
export { ask, type JobRequest, requestJob, show } from "./request-host.ts";
export { serve } from "./serve.ts";
export { defineService, type ToolService } from "./service-definition.ts";
export type { ServiceContext, ServiceDefinition } from "./serving/service-loop.ts";
export { monotonicMs, type StopSignal } from "./stop-signal.ts";
export type { ToolContext } from "./tool-context.ts";
