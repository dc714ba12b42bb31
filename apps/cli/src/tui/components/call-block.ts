// A call in the transcript: what it is going to do, what it prints, and its result.

import type { AgentEvent } from "@ikigai/agent";
import type { Places } from "@ikigai/agent/internal";
import type { ShownVisual } from "@ikigai/models";
import { isSystemBash } from "@ikigai/permission";
import {
  beginningOf,
  cutStyled,
  cutToWidth,
  headAndTail,
  type Look,
  nearChange,
  sanitiseLine,
  type Theme,
  wrapHanging,
  wrapStyled,
} from "@ikigai/screen";
import {
  type FileChange,
  fileChange,
  maxChangeRows,
  pastChange,
  renderChangeSize,
} from "../../render/call/file-change.ts";
import { paintPrinted, readPrinted } from "../../render/call/program-colours.ts";
import { answeredLine, todoLines } from "../../render/call/render-brief.ts";
import { describeCall, renderCall, type ShownCall } from "../../render/call/render-call.ts";
import {
  checkLine,
  isFailure,
  lookPart,
  mayLook,
  renderResult,
  type ToolResult,
} from "../../render/call/render-result.ts";
import { parseObject } from "../../render/json.ts";
import type { LineOutput } from "../../render/line-output.ts";
import { duration } from "../../render/short-forms.ts";
import type { AskedQuestion } from "./asked-question.ts";
import { type CallRecord, createChangeRows, type LiveCall } from "./call-record.ts";
import { createDrawings, type PrepareDrawing } from "./renderers.ts";
import type { Block } from "./transcript.ts";

/** A call, from its announcement to its result. */
export interface CallBlock extends Block {
  /** The model has written the whole call. */
  called(args: string): void;
  /** A question about the call is open; undefined: it is answered. */
  asked(asked: AskedQuestion | undefined): void;
  /** The executable starts; `args`: what it gets, if a hook changed what the model wrote. */
  started(scope: NonNullable<ShownCall["scope"]>, args?: string): void;
  progressed(progress: Progress): void;
  /** The tool shows something while it runs. */
  showed(visual: ShownVisual): void;
  ended(result: ToolResult): void;
  /** The model stopped before the call was complete. */
  dropped(): void;
  /** What is known about it, for its record. */
  recorded(): Pick<CallRecord, "call" | "change">;
  /** What it has changed; undefined if it changed no file, or failed. */
  changedFile(): FileChange | undefined;
}

export interface CallBlockOptions {
  readonly name: string;
  readonly screen: LineOutput;
  readonly theme: () => Theme;
  readonly places: Places;
  /** Whether tool output is shown; false if the answer repeats it. */
  readonly withOutput: boolean;
  /** Set for a call of a resumed conversation, whose file may have changed since: the copy of it from before the call. */
  readonly past?: { readonly before: string | null | undefined };
  /** Set for a command of the user. */
  readonly typed?: CallState["typed"];
  /** Prepares to draw what the tool shows. Absent: nothing is drawn. */
  readonly prepareDrawing?: PrepareDrawing;
  /** Called when the block needs a redraw. */
  readonly changed: () => void;
}

export function createCallBlock(options: CallBlockOptions): CallBlock {
  const { name, screen, places, withOutput, prepareDrawing, changed } = options;
  const state = writtenCall(name, options.typed);
  let result: ToolResult | undefined;
  let isHeadTaken = false;
  let isTaken = false;
  /** What the tool shows while it runs, and what its answer has. */
  const shown = createDrawings(prepareDrawing, changed);
  const answered = createDrawings(prepareDrawing, changed);
  const changeRows = createChangeRows(options.theme, changed);
  const head = (look: ReturnType<typeof lookFor>) =>
    isHeadTaken ? [] : renderHead(state, look, changeRows.render(state.change, look));
  const takeHead = (look: ReturnType<typeof lookFor>) => {
    const lines = head(look);
    isHeadTaken = true;
    return lines;
  };
  const briefly = (columns: number) =>
    result && withOutput && !isHeadTaken ? briefLines(state.call, result, lookFor(columns)) : undefined;
  const set = (facts: Partial<CallState>) => {
    Object.assign(state, facts);
    changed();
  };
  const lookFor = (columns: number) => ({ style: screen.style, signs: screen.signs, columns });
  return {
    kind: "call",
    called: (args) => set({ call: { ...state.call, arguments: args }, phase: "waiting" }),
    asked(asked) {
      if (asked && !asked.isOfAgent) know(state, asked.tool.scope, places, asked.arguments);
      set({ asked });
    },
    started(scope, args) {
      know(state, scope, places, args);
      set({ phase: "running", startedMs: performance.now() });
    },
    progressed: (progress) => set({ progress }),
    showed: (visual) => shown.add([visual]),
    ended(ending) {
      result = ending;
      if (options.past) state.change = pastChange({ ...state.call, ...options.past }, places.projectDir);
      answered.add(ending.visuals ?? []);
      set({ phase: "done", isFailed: isFailure(ending), tookMs: isHeadTaken ? undefined : toldMs(state, ending) });
    },
    dropped: () => set({ phase: "dropped" }),
    recorded: () => ({ call: state.call, change: state.change && nearChange(state.change) }),
    changedFile: () => (result && !state.isFailed ? state.change : undefined),
    isDone: () => isTaken || state.phase === "dropped",
    takeSettled(columns) {
      const look = lookFor(columns);
      const drawn = shown.take(look);
      const lines = drawn.length > 0 ? [...takeHead(look), ...drawn] : [];
      // Settled lines cannot be drawn again, so they wait for what is not ready.
      const isReady = shown.areReady() && answered.areReady() && changeRows.areReady(state.change);
      if (isTaken || !result || !isReady) return lines;
      isTaken = true;
      const end = endRows(state, result, look, withOutput);
      return [...lines, ...(briefly(columns) ?? [...takeHead(look), ...end, ...answered.take(look)])];
    },
    look: (columns) =>
      result && !isHeadTaken && withOutput ? lookPart(state.call, result, lookFor(columns)) : undefined,
    mayLook: () => !result && state.phase !== "dropped" && withOutput && mayLook(state.call),
    isAsked: () => state.asked !== undefined,
    live: () => liveCall(state),
    render(columns, rows) {
      if (isTaken || state.phase === "dropped") return [];
      if (state.asked) return state.asked.render(columns, rows);
      return briefly(columns) ?? [...head(lookFor(columns)), ...renderRunning(state, screen)];
    },
  };
}

/** What follows the heading of a finished call. */
function endRows({ call, tookMs }: CallState, result: ToolResult, look: Look, withOutput: boolean): string[] {
  const isToldInHead = tookMs !== undefined;
  const shown = { withOutput, key: "ctrl-o", jobs: isSystemBash(call) ? ("/jobs" as const) : undefined };
  const [check = ""] = checkLine(result.envelope, look).map((line) => `  ${line}`);
  const end = isToldInHead ? check : renderResult(result, look, shown).trimEnd();
  return end === "" ? [] : wrapHanging(end, look.columns, 2);
}

/** What is shown of a finished call that needs no block of its own; undefined for any other. */
function briefLines(call: ShownCall, result: ToolResult, look: Look) {
  const answered = answeredLine(call, result, look);
  return answered === undefined ? todoLines(call, result, look, "ctrl-o") : wrapHanging(answered, look.columns, 4);
}

function liveCall({ call, phase, progress, change }: CallState): LiveCall | undefined {
  return phase === "running" ? { call, change, printed: progress?.message ?? "" } : undefined;
}

/** A call whose name is known. */
function writtenCall(name: string, typed: CallState["typed"]): CallState {
  return {
    call: { name, arguments: "" },
    phase: "written",
    asked: undefined,
    change: undefined,
    progress: undefined,
    startedMs: 0,
    isFailed: false,
    typed,
    tookMs: undefined,
  };
}

/** Sets the scope, which says how to read the arguments, and computes the change before the file is written. */
function know(
  state: CallState,
  scope: NonNullable<ShownCall["scope"]>,
  places: Places,
  given = state.call.arguments,
): void {
  const isKnown = state.change && given === state.call.arguments;
  state.call = { ...state.call, scope, arguments: given };
  if (isKnown || scope !== "system") return;
  const args = parseObject(state.call.arguments);
  state.change = args && fileChange(state.call.name, args, places.projectDir);
}

/** The duration, if the heading and the change tell all that there is. */
function toldMs({ change }: CallState, ending: ToolResult): number | undefined {
  return change !== undefined && isOnlyOutput(ending) ? ending.durationMs : undefined;
}

/** Whether a result has nothing but a sentence and a number on what was done. */
function isOnlyOutput({ envelope, notes, visuals }: ToolResult): boolean {
  if (!envelope.tool_success || notes.length > 0 || visuals) return false;
  return Object.entries(envelope.result).every(([name, value]) => name === "output" || typeof value === "number");
}

export type Progress = Extract<AgentEvent, { type: "tool_progress" }>["progress"];

/** What is known about a call. */
export interface CallState {
  call: ShownCall;
  phase: "written" | "waiting" | "running" | "done" | "dropped";
  asked: AskedQuestion | undefined;
  change: FileChange | undefined;
  progress: Progress | undefined;
  startedMs: number;
  isFailed: boolean;
  /** What the user typed before the command: `!`, or `!!` if the model does not see it. Undefined for calls of the model. */
  readonly typed: "!" | "!!" | undefined;
  /** Set for a change that its lines tell whole: the heading has the duration, and nothing follows. */
  tookMs: number | undefined;
}

/** Rows shown of a command that is not being asked about. */
const maxHeadRows = 4;

/** A heading is wrapped up to this length, in UTF-16 units: more than its rows hold, and little enough to do for every frame. */
const maxHeadLength = 10_000;

const barColumns = 20;

/** The heading of a call, and the change it makes to a file. @param changed the rows of that change */
export function renderHead(state: CallState, look: Look, changed: readonly string[]): string[] {
  const { change: wanted, isFailed } = state;
  const { style, signs, columns } = look;
  // A failed call has changed nothing.
  const change = isFailed ? undefined : wanted;
  const agent = agentLine(state, look);
  if (agent !== undefined) return [agent];
  const took = state.tookMs === undefined ? "" : `  ${style.dim(duration(state.tookMs))}`;
  const size = change ? `  ${renderChangeSize(change, look)}${took}` : "";
  const title = `${renderTitle(state, look)}${size}`;
  const rows = wrapHanging(beginningOf(title, maxHeadLength), columns, 4);
  const isCut = title.length > maxHeadLength;
  const gap = (leftOut: number) => `    ${style.dim(`${signs.cut} ${leftOut} lines   ctrl-o`)}`;
  const longGap = (leftOut: number) => `    ${style.dim(`${signs.cut} more than ${leftOut} lines   ctrl-o`)}`;
  return [
    ...headAndTail(rows, { head: maxHeadRows, tail: 0, gap: isCut ? longGap : gap }),
    ...headAndTail(change ? changed : [], { head: maxChangeRows, tail: 0, gap }),
  ];
}

/** The call behind a sign for its state, which does not rely on colors. A command of the user is shown as it was typed. */
function renderTitle({ call, phase, isFailed, typed }: CallState, look: Look): string {
  const { style, signs } = look;
  if (typed !== undefined) return `${style.bold(style.yellow(typed))} ${style.bold(describeCall(call, look))}`;
  const sign = phase !== "done" ? style.cyan(signs.call) : isFailed ? style.red(signs.failed) : style.green(signs.call);
  return renderCall(call, look, sign);
}

/** Lines shown of a running tool's output. */
const maxLiveLines = 8;

/** The progress of a running call: its last lines, a bar, or its message. */
function renderRunning(
  { call, phase, progress, startedMs }: CallState,
  { style, signs, columns }: LineOutput,
): string[] {
  if (phase !== "running" || (isAgent(call) && progress)) return [];
  const ms = performance.now() - startedMs;
  const took = style.dim(ms < 1000 ? "running" : duration(Math.floor(ms / 1000) * 1000).replace(".0", ""));
  if (!progress) return [`  ${took}`];
  const { progress: done, total, message = "" } = progress;
  const lines = message
    .trimEnd()
    .split("\n")
    .map((line) => readPrinted(line));
  // The system's bash reports what its command prints, even before a line ends.
  if (total === undefined && (message.includes("\n") || isSystemBash(call))) {
    const live = lines.flatMap((line) => wrapStyled(`  ${paintPrinted(line, line.text, style)}`, columns));
    return [...live.slice(-maxLiveLines), `  ${took}`];
  }
  const share = total ? Math.max(0, Math.min(1, done / total)) : undefined;
  const full = Math.round((share ?? 0) * barColumns);
  const bar = `${signs.full.repeat(full)}${signs.empty.repeat(barColumns - full)}`;
  const count = done === 0 && message !== "" ? "" : String(done);
  const shown = share === undefined ? count : `${style.cyan(bar)} ${Math.round(100 * share)} %`;
  return [`  ${[shown, lines.at(-1)?.text, took].filter(Boolean).join(` ${signs.dot} `)}`];
}

/** Whether it is a call of the system's tool that starts agents. */
function isAgent({ name, scope }: CallState["call"]): boolean {
  return name === "agent" && scope === "system";
}

/** The part of the line that an agent's task may take, and at most these columns: enough to tell agents apart. */
const task = { share: 0.3, maxColumns: 40 };

/** A running agent in one line: `agent reviewer "read the diff" · 12 calls · 34 k tokens · reading src/x.ts`. Undefined for any other call. */
function agentLine({ call, phase, progress }: CallState, { style, signs, columns }: Look): string | undefined {
  if (phase !== "running" || !isAgent(call) || !progress) return undefined;
  const { agent, task: given } = parseObject(call.arguments) ?? {};
  const name = typeof agent === "string" && agent !== "" ? `agent ${sanitiseLine(agent)}` : "agent";
  const words = typeof given === "string" ? sanitiseLine(given.trim().replace(/\s+/g, " ")) : "";
  const room = Math.min(task.maxColumns, Math.floor(columns * task.share));
  const named = words === "" ? "" : ` "${cutToWidth(words, room, signs.cut)}"`;
  const doing = sanitiseLine(progress.message ?? "").replaceAll("·", signs.dot);
  return cutStyled(`${style.cyan(signs.call)} ${style.bold(name)}${named} ${signs.dot} ${doing}`, columns, signs.cut);
}
