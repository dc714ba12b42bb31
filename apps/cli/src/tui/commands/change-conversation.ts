// Puts another conversation on the screen: switches to it, and shows its messages and calls as running turns show them.

import { agentsWork } from "@ikigai/agent/internal";
import { addUsage, type Message, noUsage, type ToolMessage, type UserMessage } from "@ikigai/models";
import { isSystemBash } from "@ikigai/permission";
import { sanitise } from "@ikigai/screen";
import { asTyped, type Conversation, type PastTurn } from "@ikigai/session";
import { pastWrite } from "../../render/call/file-change.ts";
import { mayLook } from "../../render/call/render-result.ts";
import { interruptedText } from "../../session/take-input.ts";
import { noteEarlier, noteLeft } from "../app/open-work.ts";
import { countAgents } from "../app/render-screen.ts";
import { say, type Tui } from "../app/tui.ts";
import { nothingDone, noWork, type TurnSum, turnLine, withCall } from "../app/turn-sum.ts";
import { callBlockFor, newAnswerBlock, prepareLogged, saidBlock, showTodos } from "../app/turn-view.ts";
import type { CallBlock } from "../components/call-block.ts";
import type { CallRecord } from "../components/call-record.ts";

/** Switches to another conversation. */
export function changeConversation(tui: Tui, conversation: Conversation): void {
  noteLeft(tui);
  tui.session.agent.change(conversation);
  tui.clearRecords();
  countAgents(tui);
  showTodos(tui);
  noteEarlier(tui);
}

/** Messages shown of a resumed conversation; an export has all of them. */
const maxShown = 40;

/** Shows messages, calls and how the turns ended, as running turns show them. */
export function showConversation(tui: Tui, conversation: Conversation): void {
  const { messages, turns = [] } = conversation;
  const first = Math.max(0, messages.length - maxShown);
  if (first > 0) say(tui, tui.theme.style.dim(`${first} earlier messages`));
  const results = new Map(messages.flatMap((message) => (message.role === "tool" ? [[message.id, message]] : [])));
  let at = turns.findLast(({ end }) => end <= first)?.end ?? 0;
  for (const turn of turns.filter(({ end }) => end > first)) {
    const own = messages.slice(at, turn.end);
    showTurn(tui, { messages: own, hidden: first - at, results, turn, work: workOf(own, conversation) });
    at = turn.end;
  }
  // The last turn may have no end.
  showTurn(tui, { messages: messages.slice(at), hidden: first - at, results });
}

interface ShownTurn {
  readonly messages: readonly Message[];
  /** How many of the messages are not shown; they still count. */
  readonly hidden: number;
  readonly results: ReadonlyMap<string, ToolMessage>;
  readonly turn?: PastTurn;
  /** What the agents that the turn has started have done. */
  readonly work?: Tui["agentsWork"];
}

function workOf(messages: readonly Message[], conversation: Conversation): Tui["agentsWork"] {
  const parts = messages.flatMap((message) => (message.role === "assistant" ? message.parts : []));
  const ids = parts.flatMap((part) => (part.type === "tool_call" && part.name === "agent" ? [part.id] : []));
  return ids.length === 0 ? noWork : agentsWork(conversation, ({ call }) => ids.includes(call));
}

function showTurn(tui: Tui, { messages, hidden, results, turn, work = noWork }: ShownTurn): void {
  let sum = nothingDone;
  let hasChanged = false;
  for (const [index, message] of messages.entries()) {
    const isShown = index >= hidden;
    if (isShown && message.role === "user") showSaid(tui, message);
    if (message.role !== "assistant") continue;
    for (const part of message.parts) {
      if (isShown && part.type === "text") showAnswer(tui, part.text);
      if (part.type !== "tool_call") continue;
      const result = results.get(part.id);
      const call = pastCall(tui, { ...part, before: turn?.before.get(part.id) }, result);
      if (isShown) addCall(tui, call);
      if (result) sum = withCall(sum, call.block.changedFile());
      hasChanged ||= result?.durationMs !== undefined && !mayLook(part);
    }
  }
  if (turn) showEnd(tui, turn, { sum, hasChanged, work });
}

/** What a turn that has ended leaves on the screen. */
function showEnd(
  tui: Tui,
  { reason, error, endedAt, workedMs, usage, model }: PastTurn,
  { sum, hasChanged, work }: { readonly sum: TurnSum; readonly hasChanged: boolean; readonly work: Tui["agentsWork"] },
): void {
  const { style } = tui.theme;
  const { agent, screen, model: now } = tui.session;
  if (reason === "interrupted") say(tui, style.yellow(interruptedText(hasChanged)));
  if (error !== undefined) say(tui, style.red(sanitise(error)));
  // Another model would be looked up, which can take a request.
  const used = model === now.id ? addUsage(usage, work.usage.get(model) ?? noUsage) : undefined;
  const cost = used && agent.models.of(now.id)?.cost(used);
  const line = turnLine(
    { ...sum, workedMs, agentCalls: work.calls, ...(cost !== undefined && { cost }) },
    screen,
    endedAt,
  );
  if (line !== undefined) say(tui, style.dim(line));
}

/** A command after `!` is shown with its result. */
function showSaid(tui: Tui, message: UserMessage): void {
  const { typed, ended } = message;
  if (typed && isSystemBash(typed) && ended) addCall(tui, pastCall(tui, { ...typed, typed: "!" }, ended));
  else tui.transcript.add(saidBlock(tui, asTyped(message)));
}

function showAnswer(tui: Tui, text: string): void {
  const block = newAnswerBlock(tui);
  block.add(text);
  block.end();
  tui.transcript.add(block);
}

/** A call of the conversation, or one that the user typed. */
interface PastCall {
  readonly name: string;
  readonly arguments: string;
  readonly typed?: "!";
  /** The copy of the file from before it changed that; `null` if there was no file. */
  readonly before?: string | null | undefined;
}

/** A block that has ended, and its record if the call has a result. */
interface EndedCall {
  readonly block: CallBlock;
  readonly record?: CallRecord;
}

function pastCall(
  tui: Tui,
  { name, arguments: written, typed, before }: PastCall,
  message: Pick<ToolMessage, "json" | "durationMs" | "visuals" | "ran"> | undefined,
): EndedCall {
  const block = callBlockFor(tui, {
    name,
    withOutput: true,
    past: { before },
    ...(typed && { typed }),
    prepareDrawing: (visuals) => prepareLogged(tui, visuals),
  });
  block.called(message?.ran ?? written);
  if (message === undefined) {
    block.dropped();
    return { block };
  }
  const { json, durationMs = 0, visuals } = message;
  const result = { name, envelope: JSON.parse(json), json, durationMs, notes: [], ...(visuals && { visuals }) };
  block.ended(result);
  const { call, change = pastWrite(call) } = block.recorded();
  return { block, record: { call, change, result } };
}

function addCall(tui: Tui, { block, record }: EndedCall): void {
  if (record) tui.addRecord(record);
  tui.transcript.add(block);
}
