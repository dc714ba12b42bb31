import type { Model } from "@ikigai/agent/internal";
import { beforeExit } from "@ikigai/system";
import type { Agent } from "../host/open-agent.ts";
import { printOut } from "../host/stdout.ts";
import type { LineOutput } from "../render/line-output.ts";
import { renderHeader, startNotices } from "../render/render-header.ts";
import type { Signs } from "../render/style.ts";
import type { TerminalKind } from "../render/terminal-kind.ts";
import type { Drawn } from "./terminal/diff-lines.ts";
import { type Drawable, drawableOn } from "./terminal/drawable.ts";
import { giveTerminalBack, takeTerminal } from "./terminal/terminal-state.ts";

/** The cursor in the first frame: after the prompt. */
const promptRow = 2;
export const promptColumn = 2;

/** What is on the terminal so far, and how to draw on it. */
export interface FirstFrame {
  /** The lines that can still change. */
  readonly drawn: Drawn;
  readonly drawable: Drawable;
  readonly signs: Signs;
}

/**
 * Shows the header and an empty prompt before anything else is loaded; keys typed meanwhile wait for the editor.
 */
export function showFirstFrame(agent: Agent, model: Model, screen: LineOutput, kind: TerminalKind): FirstFrame {
  takeTerminal();
  beforeExit(giveTerminalBack, { isLast: true });
  const drawable = drawableOn(kind);
  const { style, signs, columns } = screen;
  const rule = style.dim("─".repeat(process.stdout.columns || columns));
  const lines = ["", rule, style.bold(signs.prompt), rule, ""].map(drawable);
  const header = renderHeader(model, startNotices(agent), agent.places, screen).trimEnd();
  printOut(`${header}\n${lines.join("\n")}\u001b[${lines.length - 1 - promptRow}A\r\u001b[${promptColumn}C`);
  return { drawn: { lines, row: promptRow }, drawable, signs };
}
