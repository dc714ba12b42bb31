import { callTool, findTool, type Outcome, type Registry } from "@ikigai/core";
import { executeCall, prepareCall } from "@ikigai/core/internal";
import type { TypedCall } from "@ikigai/models";
import { type Conversation, reportOf, typedForm } from "@ikigai/session";
import { readJsonObject } from "@ikigai/system";
import { callStart, introduceTools } from "./record-call.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** The circumstances of a user's call. */
type CallOptions = Parameters<typeof prepareCall>[2];

export interface TypedCallOptions extends CallOptions {
  /** Keys, which are removed from the tool's output. */
  readonly secrets?: readonly string[];
}

/** Makes a call for the user, without a question. The call and its result become a user message. Never rejects. */
export async function runTypedCall(
  conversation: Conversation,
  call: TypedCall,
  registry: Registry,
  { secrets = [], ...options }: TypedCallOptions,
): Promise<Outcome> {
  const { log } = conversation;
  const { name, arguments: args } = call;
  const id = options.callId;
  const tool = findTool(registry, name);
  log.append({ type: "typed_call", id, name, arguments: args });
  const reading = readJsonObject(Buffer.from(args));
  const prepared = tool && reading.ok && prepareCall(tool, { text: args, value: reading.value }, options);
  if (prepared) log.append({ type: "tool_start", id, ...(await callStart(prepared)) });
  // Without a tool or a JSON object, its result is the error.
  const made = prepared ? executeCall(prepared) : callTool(registry, name, args, options);
  const outcome = await withoutSecrets(await made, secrets);
  keepResult(conversation, call, id, outcome);
  introduceTools({ conversation, registry, record: (event) => log.append(event) }, name, outcome);
  return outcome;
}

/** Adds a user's call that was made elsewhere to the conversation. */
export function recordTypedCall(
  conversation: Conversation,
  call: TypedCall,
  id: string,
  outcome: Pick<Outcome, "json" | "durationMs" | "overflowFile">,
): void {
  conversation.log.append({ type: "typed_call", id, name: call.name, arguments: call.arguments });
  keepResult(conversation, call, id, outcome);
}

function keepResult(
  { log, messages }: Conversation,
  call: TypedCall,
  id: string,
  { json, durationMs, overflowFile }: Pick<Outcome, "json" | "durationMs" | "overflowFile">,
): void {
  const { name, arguments: args } = call;
  log.append({ type: "tool_result", id, name, json, durationMs, ...(overflowFile && { overflowFile }) });
  const text = `I ran a command myself, by the ${name} tool:\n${args}\nIts result:\n${json}`;
  log.append({ type: "user", text, typed: true });
  messages.push({ role: "user", text, ...(typedForm(call) !== undefined && reportOf(call, { json, durationMs })) });
}
