import type { Model } from "@ikigai/agent";
import type { Agent } from "../open-agent.ts";
import { printOut } from "../print-out.ts";
import { renderHeader } from "../screen/render-header.ts";
import type { Screen } from "../screen/screen.ts";
import type { Signs } from "../screen/signs.ts";
import { startNotices } from "../screen/start-notices.ts";
import type { TerminalKind } from "../screen/terminal-kind.ts";
import { beforeExit } from "../shutdown.ts";
import type { Drawn } from "./surface/diff-lines.ts";
import { type Drawable, drawableOn } from "./surface/drawable.ts";
import { giveTerminalBack, takeTerminal } from "./surface/terminal-modes.ts";

/** Where the cursor is in the first frame: behind the prompt. */
const promptRow = 2;
export const promptColumn = 2;

/** What is on the terminal, and how to draw on it. */
export interface FirstFrame {
  /** What of it can change. */
  readonly drawn: Drawn;
  readonly drawable: Drawable;
  readonly signs: Signs;
}

/**
 * Shows the header and an empty prompt before anything else is loaded: what is typed from now on waits for the editor.
 */
export function showFirstFrame(agent: Agent, model: Model, screen: Screen, kind: TerminalKind): FirstFrame {
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
