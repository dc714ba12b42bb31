// What the events of a log amount to: the messages that the model gets, in the state in which they continue.

import { join } from "node:path";
import {
  type AssistantPart,
  addUsage,
  dropImages,
  dropReasoning,
  isDocument,
  type Measure,
  type Message,
  type Model,
  type ModelUse,
  measureOf,
  noUsage,
  type ShownVisual,
  type ThinkingLevel,
  thinkingLevels,
  toolMessage,
  type Usage,
  userMessage,
} from "@ikigai/models";
import {
  type Conversation,
  followTypedCalls,
  promptState,
  type ReportedCall,
  type ToolOrder,
} from "../conversation.ts";
import { cancelledJson, type SessionEvent } from "./events.ts";
import { withKeptImages } from "./kept-files.ts";

/** What the events so far amount to. */
export interface Reading {
  readonly logPath: string;
  header: { id: string; cwd: string };
  messages: Message[];
  /** The parts of the system prompt. */
  prompt?: Readonly<Record<string, string>> | undefined;
  /** The tools that were loaded, in this order. */
  introduced: string[];
  toolOrder?: ToolOrder | undefined;
  parts: AssistantPart[];
  /** The calls of the last step that have no result yet. */
  open: Map<string, string>;
  /** The calls so far: a duplicate line is one call. */
  called: Set<string>;
  /** What the open calls have shown so far, by their IDs. */
  readonly shown: Map<string, readonly ShownVisual[]>;
  /** What the tools of the open calls got, by their IDs, if it is not what the model wrote. */
  readonly ran: Map<string, string>;
  usage: Usage;
  measured?: Measure | undefined;
  lostLines: number;
  readonly usesIn: ReturnType<typeof followUse>;
  readonly typedIn: ReturnType<typeof followTypedCalls>;
}

/** The state before the first event. */
export function startReading(logPath: string): Reading {
  return {
    logPath,
    header: { id: "", cwd: "" },
    messages: [],
    introduced: [],
    parts: [],
    open: new Map(),
    called: new Set(),
    shown: new Map(),
    ran: new Map(),
    usage: noUsage,
    lostLines: 0,
    usesIn: followUse(),
    typedIn: followTypedCalls(),
  };
}

/** Events that change nothing of what a model gets. */
const withoutEffect = [
  "skipped",
  "taken_up",
  "name",
  "spent",
  "typed_call",
  "question",
  "hook",
  "network",
  "checkpoint",
  "changed",
  "rewind",
  "use",
  "turn_end",
] as const;

/** Applies one event. Unknown types have no effect, nor has a second result, or one without a call: the history would be invalid. */
export function takeEvent(reading: Reading, event: SessionEvent, typed = reading.typedIn(event)): void {
  countUsage(reading, event);
  switch (event.type) {
    case "session":
      reading.header = { id: event.id, cwd: event.cwd };
      return;
    case "user":
      takeUser(reading, event, typed);
      return;
    case "drop_images":
    case "drop_reasoning":
      (event.type === "drop_images" ? dropImages : dropReasoning)(reading.messages);
      return;
    case "text":
    case "reasoning":
      reading.parts.push({ type: event.type, text: event.text, ...(event.metadata && { metadata: event.metadata }) });
      return;
    case "tool_call":
      takeCall(reading, event);
      return;
    case "step_end":
      takeStepEnd(reading, event);
      return;
    case "tool_result":
      takeResult(reading, event);
      return;
    case "tool_start":
      if (event.arguments !== undefined) reading.ran.set(event.id, event.arguments);
      return;
    case "shown":
      takeShown(reading, event);
      return;
    case "compact":
      takeCompact(reading, event);
      return;
    case "summary":
      replacePart(reading, event);
      return;
    case "introduced":
    case "tools":
    case "prompt":
      takeFrame(reading, event);
      return;
    case "lost":
      reading.lostLines += Math.max(0, event.lines);
      return;
    default:
      event satisfies { readonly type: (typeof withoutEffect)[number] };
  }
}

/** The prompt and the tools: what requests have besides the messages. */
function takeFrame(reading: Reading, event: Extract<SessionEvent, { type: "introduced" | "tools" | "prompt" }>): void {
  const { toolOrder } = reading;
  if (event.type === "prompt") Object.assign(reading, promptState(event));
  else if (event.type === "introduced") reading.introduced = [...new Set([...reading.introduced, ...event.names])];
  else if (toolOrder) reading.toolOrder = { ...toolOrder, names: [...toolOrder.names, ...event.names] };
}

function takeCall({ called, parts }: Reading, event: Extract<SessionEvent, { type: "tool_call" }>): void {
  const { id, name, arguments: args, metadata } = event;
  if (called.has(id)) return;
  called.add(id);
  parts.push({ type: "tool_call", id, name, arguments: args, ...(metadata && { metadata }) });
}

function takeUser(
  reading: Reading,
  { text, images, context, changed }: Extract<SessionEvent, { type: "user" }>,
  reported: ReportedCall | undefined,
): void {
  endStep(reading, "unknown", true);
  cancelOpen(reading);
  const message = withKeptImages(reading.logPath, images, (read) => userMessage(text, read, { context, changed }));
  reading.messages.push({ ...message, ...reported?.report });
}

function takeShown({ shown }: Reading, { id, visuals }: Extract<SessionEvent, { type: "shown" }>): void {
  shown.set(id, [...(shown.get(id) ?? []), ...visuals]);
}

function takeCompact(reading: Reading, { before, directory }: Extract<SessionEvent, { type: "compact" }>): void {
  reading.measured = undefined;
  compactMessages(reading.messages, before, directory);
}

function takeResult(reading: Reading, event: Extract<SessionEvent, { type: "tool_result" }>): void {
  endStep(reading, "unknown", false);
  if (reading.open.delete(event.id)) reading.messages.push(resultOf(event, reading));
}

function resultOf(
  { id, name, json, durationMs, images, visuals = [] }: Extract<SessionEvent, { type: "tool_result" }>,
  reading: Reading,
): Message {
  const before = reading.shown.get(id) ?? [];
  const ran = reading.ran.get(id);
  reading.shown.delete(id);
  reading.ran.delete(id);
  const result = { id, name, json, durationMs, ...(ran !== undefined && { ran }) };
  return withKeptImages(reading.logPath, images, (read) => toolMessage(result, read, [...before, ...visuals]));
}

function takeStepEnd(reading: Reading, event: Extract<SessionEvent, { type: "step_end" }>): void {
  const { model, finish, usage } = event;
  endStep(reading, model, finish === "interrupted" || finish === "failed");
  reading.measured = measureOf(usage, reading.messages.length) ?? reading.measured;
}

/** Rewound requests cost money too. */
export function countUsage(reading: Reading, event: SessionEvent): void {
  if (event.type === "step_end" || event.type === "spent") reading.usage = addUsage(reading.usage, event.usage);
}

function replacePart(reading: Reading, event: Extract<SessionEvent, { type: "summary" }>): void {
  const { messages, open } = reading;
  const { from = 0, before, text } = event;
  reading.measured = undefined;
  if (from === 0) reading.prompt = reading.toolOrder = undefined;
  messages.splice(from, Math.max(0, before - from), { role: "user", text });
  // Lost lines make this count inexact: a result must not remain without its call.
  while (messages[from + 1]?.role === "tool") messages.splice(from + 1, 1);
  if (!messages.some(({ role }) => role === "assistant")) open.clear();
}

/** Ends the step whose parts were read, if any. */
export function endStep(reading: Reading, model: string, interrupted: boolean): void {
  if (reading.parts.length === 0) return;
  cancelOpen(reading);
  const parts = reading.parts;
  reading.parts = [];
  // Every provider requires a user message first.
  if (reading.messages.length === 0) reading.messages.push(userMessage(lostBeginning));
  reading.messages.push({ role: "assistant", parts, model, ...(interrupted && { interrupted }) });
  for (const part of parts) if (part.type === "tool_call") reading.open.set(part.id, part.name);
}

/** Replaces a first user message that the log has lost. */
const lostBeginning = "(The beginning of this conversation could not be read.)";

/** Adds the missing results of skipped calls. */
function cancelOpen(reading: Reading): void {
  for (const [id, name] of reading.open) reading.messages.push({ role: "tool", id, name, json: cancelledJson });
  reading.open.clear();
}

/** Follows which model and thinking level a session continues with: those last chosen by the user, or last used. */
function followUse() {
  let last: ModelUse | undefined;
  let isTurnOpen = false;
  // A turn ends with the model that it began with: what the user chooses meanwhile counts from the next one on.
  let isChosenMeanwhile = false;
  return {
    take(event: SessionEvent): void {
      if (event.type === "turn_end") isTurnOpen = isChosenMeanwhile = false;
      if (event.type === "user") isTurnOpen = true;
      if (event.type === "use") isChosenMeanwhile = isTurnOpen;
      else if (event.type !== "step_end" || isChosenMeanwhile) return;
      last = useOf(event);
    },
    last: () => last,
  };
}

/** A level of another version is left out. */
function useOf({ model, thinking }: ModelUse): ModelUse {
  return { model, ...(thinkingLevels.some((level) => level === thinking) && { thinking }) };
}

interface Chosen {
  readonly conversation: Conversation;
  readonly thinking?: ThinkingLevel;
}

/** Records what the user has chosen for the following requests. The first answer of a new session records it anyway. */
export function recordUse({ conversation, thinking }: Chosen, { id }: Pick<Model, "id">): void {
  const { messages, log } = conversation;
  if (messages.length > 0) log.append({ type: "use", model: id, ...(thinking && { thinking }) });
}

/** Shorter results are kept, in characters: they are worth more than the space. */
const keptLength = 400;

/** About what an image takes, in characters. */
const imageLength = 6_400;

/** About what a document takes, in characters. */
const documentLength = 80_000;

/** A result moved out of the conversation. */
export interface LeftOut {
  /** The path that the conversation shows. */
  readonly path: string;
  readonly text: string;
}

/**
 * Shortens the results before an index, and drops their images and documents, so that a conversation fits: an agent misses old tool output
 * least, because it can look again. With a directory, each is replaced with the name of a file there, which the caller writes. Returns how many
 * characters that saved.
 */
export function compactMessages(
  messages: Message[],
  before: number,
  directory?: string,
): { readonly saved: number; readonly leftOut: readonly LeftOut[] } {
  let saved = 0;
  const leftOut: LeftOut[] = [];
  for (let index = 0; index < Math.min(before, messages.length); index++) {
    const message = messages[index];
    if (message?.role !== "tool" || message.shortened) continue;
    const { images, ...others } = message;
    for (const one of images ?? []) saved += isDocument(one) ? documentLength : imageLength;
    if (message.json.length <= keptLength) {
      if (images) messages[index] = others;
      continue;
    }
    const path = directory && join(directory, `${index}-${message.id.replace(/[^\w-]/g, "_").slice(0, 80)}.txt`);
    const json = shortened(message.json, path);
    if (path) leftOut.push({ path, text: printedText(message.json) });
    saved += message.json.length - json.length;
    messages[index] = { ...others, json, shortened: true };
  }
  return { saved, leftOut };
}

function shortened(json: string, path: string | undefined): string {
  const success = /^\{\s*"tool_success"\s*:\s*true/.test(json);
  const where = path === undefined ? "call the tool again if they are needed" : `they are in ${path}`;
  const note = `(${json.length} characters left out to save room; ${where})`;
  return success
    ? JSON.stringify({ tool_success: true, result: { output: note } })
    : JSON.stringify({ tool_success: false, error: note });
}

/** Returns the tool's text for people, if there is one, else the whole result. */
function printedText(json: string): string {
  try {
    const { result } = JSON.parse(json) as { result?: { output?: unknown } };
    return typeof result?.output === "string" ? result.output : json;
  } catch {
    return json;
  }
}
