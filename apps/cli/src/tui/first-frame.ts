// The first frame of the full screen, drawn before the rest of it is loaded.

import type { Model } from "@ikigai/models";
import {
  type Drawable,
  type Drawn,
  drawableOn,
  drawnSigns,
  drawWith,
  firstQuestions,
  giveTerminalBack,
  type Signs,
  showAsNumbers,
  type TerminalKind,
  takeTerminal,
} from "@ikigai/screen";
import { beforeExit } from "@ikigai/system";
import type { Agent } from "../host/conversation/agent-from-flags.ts";
import { printOut } from "../host/terminal/stdout.ts";
import type { LineOutput } from "../render/line-output.ts";
import { renderHeader, startNotices } from "../render/render-header.ts";

/** The cursor in the first frame: after the prompt. */
const promptRow = 2;
const promptColumn = 2;

/** What is on the terminal so far, and how to draw on it. */
export interface FirstFrame {
  /** The lines that can still change. */
  readonly drawn: Drawn;
  /** Where the cursor is in its line. */
  readonly cursorColumn: number;
  readonly drawable: Drawable;
  readonly signs: Signs;
}

/** What the first frame shows, and where. */
interface FirstFrameOptions {
  readonly agent: Agent;
  readonly model: Model;
  readonly screen: LineOutput;
  readonly kind: TerminalKind;
  /** Whether a message can be typed; not before the user has chosen a session. */
  readonly hasPrompt: boolean;
}

/**
 * Shows the header and an empty prompt before anything else is loaded; keys typed meanwhile wait for the editor, or for the list of
 * sessions.
 */
export function showFirstFrame({ agent, model, screen, kind, hasPrompt }: FirstFrameOptions): FirstFrame {
  drawWith(printOut);
  takeTerminal();
  beforeExit(giveTerminalBack, { isLast: true });
  const drawable = drawableOn(kind);
  if (kind.isAscii) showAsNumbers(drawnSigns);
  const { style, signs, columns } = screen;
  const rule = style.dim("─".repeat(process.stdout.columns || columns));
  const lines = ["", rule, hasPrompt ? style.bold(signs.prompt) : "", rule, ""].map(drawable);
  const cursorColumn = hasPrompt ? promptColumn : 0;
  const cursor = `\u001b[${lines.length - 1 - promptRow}A\r${hasPrompt ? `\u001b[${promptColumn}C` : ""}`;
  const header = renderHeader(model, startNotices(agent), agent.places, screen, `/help ${signs.dot} ? keys`).trimEnd();
  printOut(`${header}\n${lines.join("\n")}${cursor}${firstQuestions}`);
  return { drawn: { lines, row: promptRow }, cursorColumn, drawable, signs };
}
