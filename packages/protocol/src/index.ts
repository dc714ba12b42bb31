// The contract between hosts and tools as types, constants and readers: docs/protocol.md in code. In order: arguments, the envelope, the
// environment, requests to the host, JSON, limits, needs, plain tools, schemas, frames, visuals.

export {
  type ArgumentAliases,
  type ArgumentReading,
  aliasesOf,
  argumentAliases,
  argumentsAsRead,
  commandDirectory,
} from "./argument-aliases.ts";
export { coerceArguments } from "./coerce-arguments.ts";
export type {
  DiagnosticProblem,
  DiagnosticsReport,
  Envelope,
  ErrorAnswer,
  FailureEnvelope,
  HostErrorCode,
  IgnoredFile,
  SuccessEnvelope,
  ToolErrorCode,
} from "./envelope.ts";
export {
  type CatalogEntry,
  type Progress,
  progressFd,
  protocolVersion,
  type ToolEnvironment,
  type ToolScope,
} from "./environment.ts";
export {
  type AgentOrigin,
  type AskParams,
  type AskResult,
  type HostMethod,
  type HostReply,
  type HostRequestErrorCode,
  hostMethods,
  type JobAction,
  type JobParams,
  type JobResult,
  jobActions,
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
export {
  isCharacterBoundary,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  kindOf,
  textEnd,
  textStart,
} from "./json.ts";
export {
  defaultMaxOutputBytes,
  defaultTimeoutMs,
  drainMs,
  graceMs,
  maxDocumentBytes,
  maxDocuments,
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
export { maxNeeds, needProblem, readToolNeeds, type ToolNeeds } from "./needs.ts";
export { type PlainInput, plainInput, plainVariables } from "./plain-call.ts";
export {
  type PlainCall,
  type PlainParameter,
  type PlainProblem,
  type PlainTool,
  type PlainType,
  plainHeaderBytes,
  readPlainTools,
} from "./plain-tool.ts";
export {
  isDeeperThan,
  isOlderForm,
  isTooDeep,
  type KnownSchema,
  maxSchemaDepth,
  readObjectSchema,
  readToolSchema,
  unescapePointer,
} from "./read-tool-schema.ts";
export {
  type CallFrame,
  type CancelFrame,
  readProgressFields,
  readServeReply,
  type ServeReply,
  serviceNamePattern,
} from "./serve-frames.ts";
export {
  accessParameterKeys,
  optionalParameterKeys,
  type ToolAccess,
  type ToolAnnotations,
  type ToolExtensions,
  type ToolSchema,
  toolNameOf,
  toolNamePattern,
  toolSuffix,
} from "./tool-schema.ts";
export {
  type ChartSeries,
  type ChartVisual,
  type DiffVisual,
  documentTypeOf,
  type IgnoredVisual,
  type ImageVisual,
  imageTypeOf,
  maxVisualPixels,
  type RefusedVisual,
  readVisual,
  readVisuals,
  type TableVisual,
  type Visual,
  type VisualCell,
} from "./visual.ts";
