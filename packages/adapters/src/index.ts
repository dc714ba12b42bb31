// The tools of a registry for other SDKs: the AI SDK, the Messages API, and the Chat Completions and Responses APIs.

export { type AiSdk, type AiToolDefinition, aiTools } from "./ai-sdk.ts";
export { type AnthropicTool, type AnthropicToolResult, anthropicToolResults, anthropicTools } from "./anthropic.ts";
export {
  type ChatTool,
  type ChatToolMessage,
  chatToolMessages,
  chatTools,
  type ResponsesTool,
  type ResponsesToolOutput,
  responsesToolOutputs,
  responsesTools,
} from "./openai.ts";
export type { CallOptions, ModelCall } from "./run-calls.ts";
