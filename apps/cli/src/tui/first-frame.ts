import type { Model } from "@ikigai/agent";
import type { Agent } from "../open-agent.ts";
import { printOut } from "../print-out.ts";
import { renderHeader } from "../screen/render-header.ts";
import type { Screen } from "../screen/screen.ts";
import { beforeExit } from "../shutdown.ts";
import type { Drawn } from "./surface/diff-lines.ts";
import { giveTerminalBack, takeTerminal } from "./surface/terminal-modes.ts";

/** Where the cursor is in the first frame: behind the prompt. */
const promptRow = 2;
export const promptColumn = 2;

/**
 * Shows the header and an empty prompt before anything else is loaded: what is typed from now on waits for the editor.
 * Returns what of it can change.
 */
export function showFirstFrame({ notices, places }: Agent, model: Model, screen: Screen): Drawn {
  takeTerminal();
  beforeExit(giveTerminalBack, { isLast: true });
  const { style, signs, columns } = screen;
  const rule = style.dim("─".repeat(process.stdout.columns || columns));
  const lines = ["", rule, style.bold(signs.prompt), rule, ""];
  const header = renderHeader(model, notices, places, screen).trimEnd();
  printOut(`${header}\n${lines.join("\n")}\u001b[${lines.length - 1 - promptRow}A\r\u001b[${promptColumn}C`);
  return { lines, row: promptRow };
}
