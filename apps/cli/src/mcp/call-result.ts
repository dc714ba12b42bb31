import type { ServedOutcome } from "@ikigai/agent/internal";
import type { CallToolResult } from "@modelcontextprotocol/server";

/** The result of a call as a client gets it. */
export function callResult({ envelope, json, images = [], hookEnd }: ServedOutcome): CallToolResult {
  const said = hookEnd === undefined ? [] : [text(hookEnd)];
  // A failure's JSON has what hooks add.
  if (!envelope.tool_success) return { content: [text(json), ...said], isError: true };
  const { result, images_ignored: ignored, hook_context: context } = envelope;
  // The tool's own text, unless something follows it: parsing loses numbers of twenty digits and duplicate keys.
  const isOwnText = json.startsWith(beforeResult) && ignored === undefined && context === undefined;
  const content = [
    text(isOwnText ? json.slice(beforeResult.length, -1) : JSON.stringify(result)),
    ...images.map(({ mediaType, data }) => ({ type: "image" as const, data, mimeType: mediaType })),
    ...(ignored === undefined ? [] : [text(JSON.stringify({ images_ignored: ignored }))]),
    ...(context === undefined ? [] : [text(context)]),
    ...said,
  ];
  if (typeof result.error === "string") return { content, isError: true };
  return { content, structuredContent: result };
}

/** A problem that the model should know about. */
export function problemResult(problem: string): CallToolResult {
  return { content: [text(problem)], isError: true };
}

function text(value: string) {
  return { type: "text" as const, text: value };
}

/** How an envelope's text begins before the tool's own. */
const beforeResult = '{"tool_success":true,"result":';
