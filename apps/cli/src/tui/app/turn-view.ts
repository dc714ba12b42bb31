// Shows a turn while it runs: its answer, its calls, what they draw, and the list of tasks.

import type { AgentEvent, RetryNotice } from "@ikigai/agent";
import { type ShownVisual, toKept } from "@ikigai/models";
import { headAndTail, sanitise, sanitiseLine, wrapStyled } from "@ikigai/screen";
import { placesOfCalls } from "../../host/places/find-places.ts";
import { readTodoList } from "../../session/commands/state-commands.ts";
import {
  type AnswerBlock,
  createAnswerBlock,
  createPlainAnswerBlock,
  createThoughtBlock,
  type ThoughtBlock,
} from "../components/answer-block.ts";
import { type CallBlock, type CallBlockOptions, createCallBlock } from "../components/call-block.ts";
import { type Drawing, loadVisualRenderer } from "../components/renderers.ts";
import { type Block, fixedBlock } from "../components/transcript.ts";
import { say, type Tui } from "./tui.ts";
import { nothingDone, type TurnSum, withCall } from "./turn-sum.ts";

/** Shows a turn. */
export interface TurnView {
  show(event: AgentEvent): void;
  /** The block of a call. */
  call(id: string): CallBlock | undefined;
  /** What the calls have done so far. */
  sum(): TurnSum;
}

/** The blocks of a turn that can still change. */
interface View {
  readonly tui: Tui;
  readonly calls: Map<string, CallBlock>;
  answer: AnswerBlock | undefined;
  thought: ThoughtBlock | undefined;
  sum: TurnSum;
  /** Whether the last answer broke off: the next one repeats it from its start. */
  hasBrokenOff: boolean;
}

/** Creates the view of a turn. */
export function createTurnView(tui: Tui): TurnView {
  const nothing = { answer: undefined, thought: undefined, sum: nothingDone, hasBrokenOff: false };
  const view: View = { tui, calls: new Map(), ...nothing };
  return { call: (id) => view.calls.get(id), show: (event) => show(view, event), sum: () => view.sum };
}

function show(view: View, event: AgentEvent): void {
  const { tui, calls } = view;
  // Any event but more text or progress ends the answer.
  if (event.type !== "text" && event.type !== "tool_progress") endAnswer(view);
  if (event.type !== "reasoning") endThought(view);
  tui.setRetry(undefined);
  switch (event.type) {
    case "user":
      tui.transcript.add(saidBlock(tui, event.text));
      break;
    case "text":
      tui.setActivity("answering");
      openAnswer(view).add(event.text);
      break;
    case "reasoning":
      tui.setActivity("thinking");
      openThought(view).add(event.text);
      break;
    case "tool_call_start":
      tui.setActivity(`preparing ${sanitiseLine(event.name)}`);
      openCall(view, event.id, event.name);
      break;
    case "tool_call":
      openCall(view, event.id, event.name).called(event.arguments);
      break;
    case "tool_start":
      tui.setActivity("working", true);
      calls.get(event.id)?.started(event.scope, event.arguments);
      break;
    case "tool_progress":
      calls.get(event.id)?.progressed(event.progress);
      break;
    case "shown":
      calls.get(event.id)?.showed(event.visual);
      break;
    case "tool_result":
      endCall(view, event);
      break;
    case "notice":
      if (event.retry && tui.work) {
        const { waitMs, code, ...retry } = event.retry;
        if (view.hasBrokenOff) say(tui, tui.theme.style.dim(brokenOff(code)));
        view.hasBrokenOff = false;
        tui.setRetry({ ...retry, atMs: performance.now() + waitMs });
      } else say(tui, tui.theme.style.yellow(sanitise(event.text)));
      break;
    case "step_end":
      if (event.finish === "interrupted" || event.finish === "failed") dropCalls(view);
      view.hasBrokenOff = event.finish === "failed";
      break;
    case "turn_end":
      dropCalls(view);
      break;
    default:
      event satisfies never;
  }
}

/** What separates an answer that broke off from the next attempt. */
function brokenOff(code: RetryNotice["code"]): string {
  return `${code === "network" ? "connection lost" : "the answer broke off"}, trying again`;
}

function openAnswer(view: View): AnswerBlock {
  const { tui } = view;
  if (view.answer) return view.answer;
  view.answer = newAnswerBlock(tui);
  tui.transcript.add(view.answer);
  return view.answer;
}

/** A model's answer is Markdown; the built-in interpreter's is not. */
export function newAnswerBlock(tui: Tui): AnswerBlock {
  if (isOffline(tui)) return createPlainAnswerBlock(tui.redraw);
  const signs = () => tui.session.screen.signs;
  return createAnswerBlock(() => tui.theme, signs, tui.redraw);
}

function isOffline({ session }: Tui): boolean {
  return session.model.id.startsWith("offline/");
}

function endAnswer(view: View): void {
  view.answer?.end();
  view.answer = undefined;
}

function openThought(view: View): ThoughtBlock {
  const { tui } = view;
  if (view.thought) return view.thought;
  view.thought = createThoughtBlock(() => tui.theme, tui.redraw);
  tui.transcript.add(view.thought);
  return view.thought;
}

function endThought(view: View): void {
  if (view.thought) view.tui.addRecord(view.thought.end());
  view.thought = undefined;
}

/** The block of a call on this screen. */
export function callBlockFor(
  tui: Tui,
  call: Pick<CallBlockOptions, "name" | "withOutput" | "past" | "typed" | "prepareDrawing">,
): CallBlock {
  const { screen, agent } = tui.session;
  return createCallBlock({
    screen,
    theme: () => tui.theme,
    places: placesOfCalls(agent),
    changed: tui.redraw,
    ...call,
  });
}

function openCall({ tui, calls }: View, id: string, name: string): CallBlock {
  const known = calls.get(id);
  if (known) return known;
  const block = callBlockFor(tui, {
    name,
    // The built-in interpreter's answer is what the tool printed.
    withOutput: !isOffline(tui),
    prepareDrawing: (visuals) => prepareDrawing(tui, visuals),
  });
  calls.set(id, block);
  tui.transcript.add(block);
  return block;
}

function endCall(view: View, event: Extract<AgentEvent, { type: "tool_result" }>): void {
  const { tui, calls } = view;
  const block = openCall(view, event.id, event.name);
  block.ended(event);
  view.sum = withCall(view.sum, block.changedFile());
  // Images would fill the memory.
  tui.addRecord({
    ...block.recorded(),
    result: { ...event, ...(event.visuals && { visuals: event.visuals.map(toKept) }) },
  });
  calls.delete(event.id);
  if (calls.size === 0) tui.askAgain();
}

/** Drops calls that the model never finished. */
function dropCalls({ calls }: View): void {
  for (const block of calls.values()) block.dropped();
  calls.clear();
}

/** Rows shown of the start and the end of a long message, which was probably pasted. */
const saidRows = { head: 20, tail: 10 };

/** A message of the user. */
export function saidBlock(tui: Tui, text: string, look = tui.theme.said): Block {
  const { prompt, cut } = tui.session.screen.signs;
  return fixedBlock("said", (columns) => {
    const shown = sanitise(text.replaceAll("\r\n", "\n")).replaceAll("\t", "    ");
    const lines = shown.split("\n").flatMap((line) => wrapStyled(line, columns - 3));
    const gap = (leftOut: number) => tui.theme.style.dim(`${cut} ${leftOut} lines`);
    return headAndTail(lines, { ...saidRows, gap }).map((line, index) => {
      const mark = index === 0 ? tui.theme.style.bold(tui.theme.style.cyan(prompt)) : " ";
      return look(`${mark} `) + look(`${line} `);
    });
  });
}

/** Rows that an image leaves for the editor and the footer. */
const otherRows = 6;

/** As `prepareDrawing`, for the visuals of a log, whose images are read again. */
export async function prepareLogged(tui: Tui, logged: readonly ShownVisual[]): Promise<Drawing> {
  const { readLoggedImages } = await loadVisualRenderer();
  return prepareDrawing(tui, readLoggedImages(logged));
}

/** Loads what draws visuals; the first image asks the terminal whether it takes images. */
async function prepareDrawing(tui: Tui, visuals: readonly ShownVisual[]): Promise<Drawing> {
  const hasImage = visuals.some((visual) => visual.type === "image" && visual.bytes);
  const [{ drawVisuals, maxConversationLines, placeImage }, protocol] = await Promise.all([
    loadVisualRenderer(),
    hasImage ? tui.images.protocol() : undefined,
  ]);
  return (look) => {
    const rows = Math.max(1, tui.surface.rows - otherRows);
    return drawVisuals(visuals, look, {
      maxLines: maxConversationLines,
      key: "ctrl-o",
      ...(protocol && { place: (image, columns) => placeImage(image, protocol, { columns, rows }) }),
    });
  };
}

/** Reads the list of tasks again, which is above the editor while a task is open. */
export function showTodos(tui: Tui): void {
  tui.setTodos(readTodoList(tui.session.agent.conversation));
}
