import { askingHome } from "../asking-home.ts";
import { type ModelServer, type Script, startModel } from "../model-server.ts";
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
  /** As terminals with the kitty protocol send it. */
  shiftEnter: "\u001b[13;2u",
  up: "\u001b[A",
  down: "\u001b[B",
} as const;

/** The line above and below the editor. */
export const rule = "─".repeat(100);

export interface FullOptions extends TerminalOptions {
  readonly args?: readonly string[];
  /** The context window that the model's server reports. */
  readonly contextWindow?: number;
}

/** Opens ikigai on the full screen with a scripted model, and waits for the prompt. */
export async function openFull(
  steps: Script = [],
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
