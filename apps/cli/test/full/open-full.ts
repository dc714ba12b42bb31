import { askingHome } from "../asking-home.ts";
import { type ModelServer, type Step, startModel } from "../model-server.ts";
import { openFullScreen, type Terminal, type TerminalOptions } from "../terminal.ts";

export const keys = {
  escape: "\u001b",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  ctrlG: "\u0007",
  ctrlJ: "\n",
  ctrlO: "\u000f",
  ctrlR: "\u0012",
  ctrlT: "\u0014",
  enter: "\r",
  tab: "\t",
  shiftTab: "\u001b[Z",
  altEnter: "\u001b\r",
  /** As terminals send it that keep to the kitty protocol. */
  shiftEnter: "\u001b[13;2u",
  up: "\u001b[A",
  down: "\u001b[B",
} as const;

/** The line above and below the editor. */
export const rule = "─".repeat(100);

export interface FullOptions extends TerminalOptions {
  readonly args?: readonly string[];
  /** How much the model reads, as its server tells. */
  readonly contextWindow?: number;
}

/** ikigai on its full screen, with a model that says what it is told to. The prompt is there. */
export async function openFull(
  steps: readonly Step[] = [],
  { args = [], env, contextWindow, ...options }: FullOptions = {},
): Promise<{ readonly terminal: Terminal; readonly model: ModelServer }> {
  const model = await startModel(steps, contextWindow === undefined ? {} : { contextWindow });
  const terminal = await openFullScreen(["--model", "openai-compatible/m", ...args], {
    ...options,
    env: { HOME: await askingHome(), ...model.env, ...env },
  });
  await terminal.waitFor(/openai-compatible\/m$/);
  return { terminal, model };
}
