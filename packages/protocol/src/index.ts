export { type ArgumentAliases, aliasesOf, argumentAliases, renameAliases } from "./argument-aliases.ts";
export type { CatalogEntry } from "./catalog-entry.ts";
export { isCharacterBoundary, textEnd, textStart } from "./cut-text.ts";
export type { Envelope, ErrorAnswer, FailureEnvelope, IgnoredImage, SuccessEnvelope } from "./envelope.ts";
export { type Progress, progressFd, protocolVersion, type ToolEnvironment, type ToolScope } from "./environment.ts";
export type { HostErrorCode, ToolErrorCode } from "./error-code.ts";
export {
  type AgentOrigin,
  type AskParams,
  type AskResult,
  type CancelRequest,
  type HostMethod,
  type HostReply,
  type HostRequest,
  type HostRequestErrorCode,
  hostMethods,
  maxAgentNameBytes,
  maxAnswerLength,
  maxHostLineBytes,
  maxHostRequests,
  maxNestedAgents,
  maxOptionBytes,
  maxOptions,
  maxQuestionBytes,
  maxQuestionMs,
  maxRequestPathBytes,
  minOptions,
  type PermissionParams,
  type PermissionResult,
  type QuestionKind,
  type ShowParams,
  type ShowResult,
} from "./host-requests.ts";
export { isJsonObject, type JsonObject, type JsonValue, kindOf } from "./json.ts";
export {
  defaultMaxOutputBytes,
  defaultTimeoutMs,
  drainMs,
  graceMs,
  maxFailureStreamBytes,
  maxImageBytes,
  maxImages,
  maxJsonLevels,
  maxMaxOutputBytes,
  maxOverflowBytes,
  maxSchemaBytes,
  maxTimeoutMs,
  schemaTimeoutMs,
} from "./limits.ts";
export { isOlderForm, readObjectSchema, type SchemaReading } from "./read-object-schema.ts";
export { type KnownSchema, readToolSchema } from "./read-tool-schema.ts";
export {
  type AnswerReply,
  type CallEnvironment,
  type CallFrame,
  type CancelFrame,
  type FailedReply,
  type ProgressReply,
  type ReadyReply,
  type RefusedReply,
  readProgressFields,
  readServeReply,
  type ServeReply,
  serviceNamePattern,
} from "./serve-frames.ts";
export { isDeeperThan, isTooDeep, maxSchemaDepth, unescapePointer } from "./structure-problem.ts";
export {
  accessedParameters,
  accessParameterKeys,
  optionalParameterKeys,
  readToolAccess,
  type ToolAccess,
} from "./tool-access.ts";
export { toolNamePattern, toolSuffix } from "./tool-name.ts";
export type { ToolAnnotations, ToolExtensions, ToolSchema } from "./tool-schema.ts";
export {
  type ChartSeries,
  type ChartVisual,
  type DiffVisual,
  type IgnoredVisual,
  type ImageType,
  type ImageVisual,
  imageTypeOf,
  maxAltBytes,
  maxChartSeries,
  maxVisualBytes,
  maxVisualColumns,
  maxVisualPixels,
  maxVisualRows,
  maxVisuals,
  type RefusedVisual,
  readVisual,
  readVisuals,
  type TableVisual,
  type Visual,
  type VisualCell,
} from "./visual.ts";
