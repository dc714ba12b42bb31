import { isDocument, type Message, type ModelTool, sentText } from "@ikigai/models";
import { textStart } from "@ikigai/protocol";
import { estimateTokenCount } from "tokenx";

/** Longer texts are estimated from their beginning, since an estimate does not justify reading a megabyte. In characters. */
const sampleLength = 16_384;

/** How many characters of a schema make a token, measured with 500 schemas: for a decision that needs no exact number. */
export const charactersPerToken = 3.6;

/** The overhead of each message or tool, in tokens. */
const frameTokens = 4;

/** The size of an image in tokens: providers scale large ones down to about this. */
const imageTokens = 1_600;

/** The size of a document in tokens: about ten pages as text and image. */
const documentTokens = 20_000;

/** Estimates how many tokens a text has. Providers count differently, and report it only afterwards. */
function estimateTokens(text: string): number {
  if (text.length <= sampleLength) return estimateTokenCount(text);
  return Math.ceil((estimateTokenCount(textStart(text, sampleLength)) * text.length) / sampleLength);
}

/** Messages and schemas do not change, and all of them are estimated before each request. */
const known = new WeakMap<object, number>();

function once(key: object, estimate: () => number): number {
  const tokens = known.get(key) ?? estimate();
  known.set(key, tokens);
  return tokens;
}

let lastPrompt = { text: "", tokens: 0 };

/** The system prompt stays the same for a whole conversation. */
export function estimatePrompt(text: string): number {
  if (text !== lastPrompt.text) lastPrompt = { text, tokens: estimateTokens(text) };
  return lastPrompt.tokens;
}

export function estimateMessage(message: Message): number {
  return once(message, () => estimateNewMessage(message));
}

function estimateNewMessage(message: Message): number {
  const files = message.role === "assistant" ? [] : (message.images ?? []);
  const filesTokens = files.reduce((sum, file) => sum + (isDocument(file) ? documentTokens : imageTokens), 0);
  return textsOf(message).reduce((sum, text) => sum + frameTokens + estimateTokens(text), filesTokens);
}

/** Whether messages have no images or documents and at most this many characters. Costs nothing compared with an estimate. */
export function areShort(messages: readonly Message[], maxLength: number): boolean {
  let length = 0;
  for (const message of messages) {
    if (message.role !== "assistant" && message.images?.length) return false;
    for (const text of textsOf(message)) length += text.length;
    if (length > maxLength) return false;
  }
  return true;
}

function textsOf(message: Message): string[] {
  if (message.role === "user") return [sentText(message)];
  if (message.role === "tool") return [message.json];
  return message.parts.map((part) => (part.type === "tool_call" ? part.name + part.arguments : part.text));
}

export function estimateTool({ name, description, parameters }: ModelTool): number {
  return once(parameters, () => frameTokens + estimateTokens(name + description + JSON.stringify(parameters)));
}
