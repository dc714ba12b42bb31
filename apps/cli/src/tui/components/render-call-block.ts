import type { AgentEvent } from "@ikigai/agent/internal";
import { type FileChange, maxChangeRows, renderChangeSize } from "../../render/file-change.ts";
import { cutToWidth, headAndTail } from "../../render/fit-text.ts";
import { parseObject } from "../../render/json.ts";
import type { LineOutput, Look } from "../../render/line-output.ts";
import { paintPrinted, readPrinted } from "../../render/program-colours.ts";
import { describeCall, isOfSystemBash, renderCall, type ShownCall } from "../../render/render-call.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { duration } from "../../render/short-forms.ts";
import { beginningOf, cutStyled, wrapHanging, wrapStyled } from "../pi-tui/text.ts";
import type { AskedQuestion } from "./asked-question.ts";

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
export function renderRunning(
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
  if (total === undefined && (message.includes("\n") || isOfSystemBash(call))) {
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
