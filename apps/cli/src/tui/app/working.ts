// What the screen shows while something runs, in its rows and in the window's title, with git's branch.

import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { sanitiseLine } from "@ikigai/screen";
import { beforeExit, readRegularFile } from "@ikigai/system";
import { placesOfCalls } from "../../host/places/find-places.ts";
import { spinMs, stillMs } from "../components/dock.ts";
import { refreshContext } from "./render-screen.ts";
import type { Tui } from "./tui.ts";

/** Runs work that Esc and Ctrl-C stop, and that stops before the process exits. */
export async function working<Result>(
  tui: Tui,
  activity: string,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  tui.focus.release("command");
  tui.beginWork({ abort: () => controller.abort(), startedMs: performance.now(), activity });
  nameWindow(tui, "*");
  showProgress(tui, true);
  const isStill = tui.session.agent.config.screen?.motion === "reduced";
  // Keeps the spinner and the clock moving.
  const spin = setInterval(() => tui.redraw(), isStill ? stillMs : spinMs);
  const work = run(controller.signal);
  const leave = beforeExit(() => {
    controller.abort();
    return work;
  });
  try {
    return await work;
  } finally {
    leave();
    clearInterval(spin);
    tui.focus.release("question");
    tui.endWork(gitBranch(placesOfCalls(tui.session.agent).projectDir));
    nameWindow(tui, "");
    showProgress(tui, false);
    if (tui.session.agent.config.screen?.status !== undefined)
      void import("./run-beside.ts").then(({ updateStatus }) => updateStatus(tui));
    // An answer reports its tokens; a summary and an interrupted turn do not.
    if (!tui.session.agent.conversation.measured) void refreshContext(tui);
  }
}

/** A user who has waited this long may have looked away, in milliseconds; used if the terminal does not report focus. */
const longMs = 10_000;

/**
 * Notifies the user if they may be looking elsewhere, unless `screen.bell` is off. `what` is our own text or sanitised; it must not
 * contain what a model wrote, since it may be shown on a locked screen.
 */
export function ring(tui: Tui, what: string, waitedMs = longMs): void {
  const { surface, session, windowHasFocus } = tui;
  const { bell = true, notify = "bell" } = session.agent.config.screen ?? {};
  const isAway = windowHasFocus === undefined ? waitedMs >= longMs : !windowHasFocus;
  if (!isAway || !bell || notify === "off") return;
  const text = sanitiseLine(`ikigai ${projectName(tui)}: ${what}`);
  if (notify === "bell") surface.signal("\u0007");
  else if (notify === "osc9") surface.signal(`\u001b]9;${text}\u0007`);
  else if (notify === "osc777") surface.signal(`\u001b]777;notify;ikigai;${text.replaceAll(";", ",")}\u0007`);
  else void import("./run-beside.ts").then(({ runNotifier }) => runNotifier(tui, notify, text));
}

/** Sets the window's title. Terminals that keep the old one restore it at exit. */
export function nameWindow(tui: Tui, what: string): void {
  const { surface, session } = tui;
  // The Linux console has no title and would print it.
  if (session.agent.config.screen?.title === false || session.agent.env.TERM === "linux") return;
  surface.signal(`\u001b]0;${sanitiseLine(`${what} ikigai ${projectName(tui)}`.trim())}\u0007`);
}

function projectName({ session }: Tui): string {
  return session.agent.places.projectDir.split("/").at(-1) || "/";
}

/**
 * Lets the terminal show in its tab or task bar that work runs (OSC 9;4, from ConEmu). Others show such a sequence as a
 * notification, so it is sent only to terminals known to understand it, or if the user asks for it.
 */
function showProgress({ surface, session }: Tui, isRunning: boolean): void {
  const { config, env } = session.agent;
  const { progress = knowsProgress(env) } = config.screen ?? {};
  if (progress) surface.signal(isRunning ? "\u001b]9;4;3\u0007" : "\u001b]9;4;0\u0007");
}

function knowsProgress({ WT_SESSION, ConEmuANSI, TERM_PROGRAM, TMUX }: NodeJS.ProcessEnv): boolean {
  return !TMUX && (Boolean(WT_SESSION) || ConEmuANSI === "ON" || TERM_PROGRAM === "ghostty");
}

export const keepWindowName = "\u001b[22;0t";
export const restoreWindowName = "\u001b[23;0t";

/** The checked-out branch, or a short hash if HEAD is detached. Reads git's files, does not run git. */
export function gitBranch(from: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    const gitDir = gitDirectory(join(dir, ".git"));
    if (gitDir !== undefined) return headOf(gitDir);
    if (dirname(dir) === dir) return undefined;
  }
}

/** In a worktree or a submodule, `.git` is a file that names the directory. */
function gitDirectory(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return path;
    const [, target] = /^gitdir: (.+)$/m.exec(readRegularFile(path).toString()) ?? [];
    return target && resolve(dirname(path), target);
  } catch {
    return undefined;
  }
}

function headOf(gitDir: string): string | undefined {
  try {
    const head = readRegularFile(join(gitDir, "HEAD")).toString().trim();
    const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
    return branch ?? head.slice(0, 8);
  } catch {
    return undefined;
  }
}
