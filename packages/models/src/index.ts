// One request to one model, whoever serves it, and which model that is.

export {
  accessTo,
  addressProblem,
  defaultPatience,
  keyedAccess,
  type ModelConfig,
  type Patience,
  type PatienceConfig,
  type ProviderAccess,
  type StoredKeys,
  secretsOf,
  withheldKey,
} from "./access.ts";
export {
  asSentence,
  expectedMessage,
  inSentence,
  isSystemError,
  isTooMuch,
  ModelError,
  type ModelErrorCode,
  type ModelErrorOptions,
  systemMessage,
} from "./errors.ts";
export { defaultModels, type KnownModels, knownModels, type ModelFacts, modelFacts } from "./known-models.ts";
export { listingServer, listModels, listProviderModels } from "./list-models.ts";
export {
  type AssistantMessage,
  type AssistantPart,
  dropImages,
  dropReasoning,
  type Image,
  isDocument,
  type Message,
  type MessageExtras,
  type ProviderMetadata,
  type ReasoningPart,
  type ShownImage,
  type ShownVisual,
  sentText,
  type TextPart,
  type ToolCallPart,
  type ToolMessage,
  type TypedCall,
  toKept,
  toolMessage,
  type UserMessage,
  userMessage,
  withLeftOut,
} from "./message.ts";
export {
  addUsage,
  budgetTokens,
  type FinishReason,
  type LanguageModel,
  type Measure,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type ModelTool,
  type ModelUse,
  measureOf,
  noUsage,
  readFinishReason,
  type ThinkingLevel,
  thinkingLevels,
  type Usage,
} from "./model.ts";
export {
  modelChoice,
  type OwnModels,
  providerInUse,
  setupText,
  setupTextInConversation,
  shortSetupText,
} from "./model-choice.ts";
export { findOllamaModel, listOllamaModels, ollamaHostProblem, ollamaUrl } from "./ollama.ts";
export {
  baseUrlProblem,
  type ProviderName,
  parseModelName,
  providerMeant,
  providerNames,
  providerTable,
} from "./providers.ts";
export {
  modelProblem,
  type ResolveModelOptions,
  resolveModel,
  type SessionModel,
  sessionModel,
  unusableModel,
} from "./resolve-model.ts";
/** @internal Its module has types of a package that is bundled. */
export { fromLanguageModel } from "./sdk-model.ts";
export { callSwitches } from "./server-profiles.ts";
