import {
  asTyped,
  type Conversation,
  type Message,
  changeConversation as replaceConversation,
  type ToolMessage,
  type UserMessage,
} from "@ikigai/agent/internal";
import { pastWrite } from "../../render/file-change.ts";
import { prepareLogged } from "../app/prepare-drawing.ts";
import { showTodos } from "../app/show-todos.ts";
import { say, type Tui } from "../app/tui.ts";
import { newAnswerBlock, saidBlock } from "../app/turn-view.ts";
import { noteEarlier } from "../app/watch-running.ts";
import { createCallBlock } from "../components/call-block.ts";

/** Switches to another conversation. */
export function changeConversation(tui: Tui, conversation: Conversation): void {
  replaceConversation(tui.session.agent, conversation);
  tui.clearRecords();
  showTodos(tui);
  noteEarlier(tui);
}

/** Messages shown of a resumed conversation; an export has all of them. */
const maxShown = 40;

/** Shows messages and calls as a running turn shows them. */
export function showConversation(tui: Tui, messages: readonly Message[]): void {
  const first = Math.max(0, messages.length - maxShown);
  if (first > 0) say(tui, tui.theme.style.dim(`${first} earlier messages`));
  const results = new Map(messages.flatMap((message) => (message.role === "tool" ? [[message.id, message]] : [])));
  for (const message of messages.slice(first)) {
    if (message.role === "user") showSaid(tui, message);
    if (message.role !== "assistant") continue;
    for (const part of message.parts) {
      if (part.type === "text") showAnswer(tui, part.text);
      if (part.type === "tool_call") showCall(tui, part, results.get(part.id));
    }
  }
}

/** A command after `!` is shown with its result. */
function showSaid(tui: Tui, message: UserMessage): void {
  const { command, ended } = message;
  if (command !== undefined && ended)
    showCall(tui, { name: "bash", arguments: JSON.stringify({ command }), typed: "!" }, ended);
  else tui.transcript.add(saidBlock(tui, asTyped(message)));
}

function showAnswer(tui: Tui, text: string): void {
  const block = newAnswerBlock(tui);
  block.add(text);
  block.end();
  tui.transcript.add(block);
}

function showCall(
  tui: Tui,
  call: { readonly name: string; readonly arguments: string; readonly typed?: "!" },
  message: Pick<ToolMessage, "json" | "durationMs" | "visuals" | "ran"> | undefined,
): void {
  const { screen, agent } = tui.session;
  const block = createCallBlock({
    name: call.name,
    screen,
    theme: () => tui.theme,
    places: agent.places,
    withOutput: true,
    isPast: true,
    ...(call.typed && { typed: call.typed }),
    prepareDrawing: (visuals) => prepareLogged(tui, visuals),
    changed: tui.redraw,
  });
  block.called(message?.ran ?? call.arguments);
  if (message === undefined) block.dropped();
  else {
    const { json, durationMs = 0, visuals } = message;
    const result = {
      name: call.name,
      envelope: JSON.parse(json),
      durationMs,
      notes: [],
      ...(visuals && { visuals }),
    };
    block.ended(result);
    const { call: shown, change = pastWrite(shown) } = block.recorded();
    tui.addRecord({ call: shown, change, result });
  }
  tui.transcript.add(block);
}
