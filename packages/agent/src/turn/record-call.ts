// What a call leaves in the conversation besides its result: what is needed to repeat it, and the tools that it introduces. Then the
// calls that the user makes.

import { callTool, findTool, type Outcome, type Registry } from "@ikigai/core";
import { executeCall, prepareCall, takesCatalog } from "@ikigai/core/internal";
import { hashTool } from "@ikigai/core/trust";
import type { TypedCall } from "@ikigai/models";
import { textStart } from "@ikigai/protocol";
import { type Conversation, reportOf, type SessionEvent, type ToolStart, typedForm } from "@ikigai/session";
import { readJsonObject } from "@ikigai/system";
import { withoutSecrets } from "./without-secrets.ts";

/** Returns what is needed to repeat a call. */
export async function callStart({ tool, options, variables }: ReturnType<typeof prepareCall>): Promise<ToolStart> {
  const { path, scope, launcher } = tool;
  const { cwd, sandbox } = options;
  const sha256 = await hashTool(path);
  return {
    path,
    scope,
    cwd,
    ...(sha256 !== undefined && { sha256 }),
    // A tool with a launcher runs elsewhere, without this sandbox.
    ...(sandbox && !launcher && { sandbox: { network: sandbox.network } }),
    ...(launcher && { launched: true }),
    env: variables,
  };
}

/** How many tools an answer introduces. */
const maxNames = 128;

/** How many names that no tool has a notice shows, and how much of each, in characters: they may be any text. */
const maxToldNames = 10;
const maxToldLength = 64;

/** Where the result of a call goes. */
interface IntroductionPlace {
  readonly conversation: Conversation;
  readonly registry: Registry;
  readonly record: (event: SessionEvent) => void;
}

/**
 * Introduces the tools that an answer names, if its tool may do so: their schemas are part of the requests from now on.
 *
 * @returns the names that no tool has.
 */
export function introduceTools(
  { conversation, registry, record }: IntroductionPlace,
  caller: string,
  { envelope }: Pick<Outcome, "envelope">,
): readonly string[] {
  const tool = findTool(registry, caller);
  if (!tool || !takesCatalog(tool) || !envelope.tool_success || !Array.isArray(envelope.result.introduces)) return [];
  const named = [...new Set(envelope.result.introduces)].filter((name) => typeof name === "string").slice(0, maxNames);
  const known = new Set(registry.tools.map(({ name }) => name));
  const names = named.filter((name) => known.has(name) && !conversation.introduced.includes(name));
  if (names.length > 0) {
    record({ type: "introduced", names });
    conversation.introduced.push(...names);
  }
  return named.filter((name) => !known.has(name));
}

/** Tells the user about names that no tool has. */
export function unknownToolsText(caller: string, unknown: readonly string[]): string {
  const names = unknown.slice(0, maxToldNames).map((name) => JSON.stringify(textStart(name, maxToldLength)));
  const more = unknown.length > maxToldNames ? ` and ${unknown.length - maxToldNames} more` : "";
  return `${caller} named tools that do not exist: ${names.join(", ")}${more}.`;
}

/* The calls that the user makes: the model sees each as a message. */

/** The circumstances of a user's call. */
type PreparedOptions = Parameters<typeof prepareCall>[2];

export interface TypedCallOptions extends PreparedOptions {
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
