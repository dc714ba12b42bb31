// Prints the events of a turn line by line: the answer as it comes, calls, their output, results and notices. Then the two texts that it has for
// itself: a change, and progress in one line.

import type { AgentEvent } from "@ikigai/agent";
import type { ShownVisual } from "@ikigai/models";
import { isSystemBash } from "@ikigai/permission";
import { asOnTerminal, cutToWidth, headAndTail, sanitise, sanitiseLine, wholeCharacters } from "@ikigai/screen";
import {
  type FileChange,
  fileChange,
  maxChangeRows,
  renderChange,
  renderChangeSize,
} from "../render/call/file-change.ts";
import { answeredLine, isQuestion } from "../render/call/render-brief.ts";
import { renderCall, type ShownCall } from "../render/call/render-call.ts";
import { lookPart, mayLook, renderLooks, renderResult } from "../render/call/render-result.ts";
import { parseObject } from "../render/json.ts";
import type { LineOutput } from "../render/line-output.ts";

/** Interval between lines of progress, in milliseconds. */
const progressMs = 1_000;

interface EventViewOptions {
  readonly screen: LineOutput;
  /** The directory that paths in calls are relative to. */
  readonly cwd: string;
  /** Draws what tools show; absent where no tool shows anything. */
  readonly draw?: (visuals: readonly ShownVisual[]) => void;
  /** Whether tool output is shown; false if the answer repeats it. */
  readonly withOutput: boolean;
  /** Whether the user's message is on the screen right above. */
  readonly isEchoed: boolean;
  /** The call that the user has typed, and which no event announces. */
  readonly typed?: Pick<ShownCall, "name" | "scope">;
}

/** Prints the events of a turn. */
export class EventView {
  readonly #screen: LineOutput;
  readonly #options: EventViewOptions;
  readonly #calls = new Map<string, ShownCall>();
  /** The call whose heading was printed last. */
  #headed: string | undefined;
  /** The calls that a question has shown. */
  readonly #asked = new Set<string>();
  #isText = false;
  /** Whether nothing of this turn has been printed. */
  #isEmpty = true;
  #isThinking = false;
  readonly #whole = wholeCharacters();
  #lastProgressMs = Number.NEGATIVE_INFINITY;
  /** Events held back while a question is open. */
  #held: AgentEvent[] | undefined;

  constructor(options: EventViewOptions) {
    this.#screen = options.screen;
    this.#options = options;
  }

  show(event: AgentEvent): void {
    if (this.#held) this.#held.push(event);
    else this.#print(event);
  }

  /** Holds events back while a question is open: calls of one step run in parallel. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held;
    this.#held = undefined;
    for (const event of held ?? []) this.show(event);
  }

  #print(event: AgentEvent): void {
    switch (event.type) {
      case "text":
        this.#showText(event.text);
        break;
      case "reasoning":
        this.#showThinking();
        break;
      case "tool_call":
        this.#calls.set(event.id, { name: event.name, arguments: event.arguments });
        break;
      case "tool_start":
        this.#showStart(event);
        break;
      case "tool_progress":
        this.#showProgress(event.id, event.progress);
        break;
      case "shown":
        this.#showHead(event.id);
        this.#options.draw?.([event.visual]);
        break;
      case "tool_result":
        this.#showResult(event);
        break;
      case "notice":
        this.startBlock();
        this.#screen.print(this.#screen.style.yellow(`${sanitise(event.text)}\n`));
        break;
      case "step_end":
        this.#isThinking = false;
        this.#screen.startLine();
        break;
      case "user":
      case "tool_call_start":
      case "turn_end":
        break;
      default:
        event satisfies never;
    }
  }

  /** Begins something other than more text. */
  startBlock(): void {
    this.#screen.startLine();
    if (this.#isText) this.#screen.print("\n");
    this.#isEmpty = false;
    this.#isText = false;
    this.#headed = undefined;
  }

  /** Marks a call as shown by a question. */
  callShown(id: string): void {
    this.#headed = id;
    this.#asked.add(id);
  }

  #showText(text: string): void {
    const whole = this.#whole(text);
    // Skip blank lines at the start of an answer.
    const shown = this.#isText ? whole : whole.replace(/^\n+/, "");
    if (shown === "") return;
    if (!this.#isText) {
      this.#screen.startLine();
      if (!this.#isEmpty || this.#options.isEchoed) this.#screen.print("\n");
    }
    this.#isEmpty = false;
    this.#isText = true;
    this.#headed = undefined;
    this.#screen.stream(shown);
  }

  #showThinking(): void {
    if (this.#isThinking || this.#isText) return;
    this.#isThinking = true;
    this.startBlock();
    const { style, signs } = this.#screen;
    this.#screen.print(style.dim(`thinking${signs.cut}\n`));
  }

  #showStart({ id, scope, arguments: changed }: Extract<AgentEvent, { type: "tool_start" }>): void {
    const made = this.#calls.get(id);
    if (!made) return;
    const call = { ...made, scope, ...(changed !== undefined && { arguments: changed }) };
    this.#calls.set(id, call);
    // A call that only looks, and a question, get one line, when they end.
    if (this.#asked.has(id) || (this.#options.withOutput && (mayLook(call) || isQuestion(call)))) return;
    const args = scope === "system" ? parseObject(call.arguments) : undefined;
    const change = args && fileChange(call.name, args, this.#options.cwd);
    this.#showHead(id, change && `  ${renderChangeSize(change, this.#screen)}`);
    if (change) this.#screen.print(changeText(change, this.#screen));
  }

  #showHead(id: string, remark = ""): void {
    const call = this.#calls.get(id);
    if (call === undefined || this.#headed === id) return;
    this.startBlock();
    this.#headed = id;
    this.#screen.print(`${renderCall(call, this.#screen)}${remark}\n`);
  }

  #showProgress(id: string, progress: Progress): void {
    if (performance.now() - this.#lastProgressMs < progressMs) return;
    this.#lastProgressMs = performance.now();
    this.#showHead(id);
    this.#screen.print(`${progressLine(progress, this.#screen)}\n`);
  }

  #showResult(event: Extract<AgentEvent, { type: "tool_result" }>): void {
    if (this.#showInLine(event)) return;
    this.#showHead(event.id);
    this.#headed = undefined;
    const call = this.#calls.get(event.id) ?? this.#options.typed;
    this.#calls.delete(event.id);
    const jobs = call && isSystemBash(call) ? "log" : undefined;
    this.#screen.print(renderResult(event, this.#screen, { ...this.#options, jobs }));
    this.#options.draw?.(event.visuals ?? []);
  }

  /** Shows a call that only looked, or asked, in one line; false if it has more than that, or its heading is on the screen. */
  #showInLine(event: Extract<AgentEvent, { type: "tool_result" }>): boolean {
    const call = this.#calls.get(event.id);
    const isShown = !this.#options.withOutput || this.#headed === event.id || this.#asked.has(event.id);
    const part = call && !isShown ? lookPart(call, event, this.#screen) : undefined;
    const answered = call && !isShown ? answeredLine(call, event, this.#screen) : undefined;
    if (part === undefined && answered === undefined) return false;
    this.startBlock();
    this.#calls.delete(event.id);
    this.#screen.print(`${answered ?? renderLooks(part ? [part] : [], this.#screen, "").join("\n")}\n`);
    return true;
  }
}

/** A change that was not asked about, as far as it is shown. */
export function changeText(change: FileChange, screen: LineOutput): string {
  const gap = (leftOut: number) => screen.style.dim(`${screen.signs.cut} ${leftOut} lines`);
  const shown = headAndTail(renderChange(change, screen), { head: maxChangeRows, tail: 0, gap });
  return shown.map((line) => `    ${line}\n`).join("");
}

type Progress = Extract<AgentEvent, { type: "tool_progress" }>["progress"];

/** The progress of a running call in one line, which can be printed again and again. */
export function progressLine(
  { progress, total, message = "" }: Progress,
  { style, signs, columns }: LineOutput,
): string {
  // Progress may have several lines; the last one is the current state.
  const line = sanitiseLine(asOnTerminal(message.trimEnd().split("\n").at(-1) ?? ""));
  const share = total ? `${Math.round((progress / total) * 100)} %` : line === "" ? String(progress) : "";
  const whole = `  ${`${signs.cut} ${line} ${share}`.trimEnd()}`;
  // A row that wraps could imitate a question.
  return style.dim(cutToWidth(whole, columns - 1, signs.cut));
}
