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
export {
  type AnswerValue,
  defineService,
  defineTool,
  type SchemaValue,
  type ToolDefinition,
  type ToolService,
} from "./define-tool.ts";
export { type FailureDetails, monotonicMs, type StopSignal, ToolFailure } from "./failure.ts";
export { ask, type JobRequest, requestJob, show } from "./request-host.ts";
export { serve } from "./serve.ts";
export type { ServiceContext, ServiceDefinition } from "./serving/service-loop.ts";
export type { ToolContext } from "./tool-context.ts";
