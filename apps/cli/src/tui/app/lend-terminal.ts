// Lends the terminal to other programs, most of all to the user's editor. In reading order: how it is lent and taken back, the editor for
// a draft or a file, and programs after `!!`.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { recordTypedCall } from "@ikigai/agent/internal";
import type { TypedCall } from "@ikigai/models";
import { giveTerminalBack, type SeveralLines, type Surface, sanitiseLine, takeTerminal } from "@ikigai/screen";
import { beforeExit, programEnvironment, startProgram, temporaryPath, withoutEnd } from "@ikigai/system";
import { placesOfCalls } from "../../host/places/find-places.ts";
import { onInterrupt } from "../../host/terminal/exit.ts";
import { editorCommand, editorFailure } from "../../host/terminal/users-editor.ts";
import type { CallBlock } from "../components/call-block.ts";
import { namesOf } from "../components/key-bindings.ts";
import type { Tui } from "./tui.ts";

/** How a program that had the terminal ended. */
export interface LentEnd {
  /** Its exit code, or 128 plus the signal's number. Undefined if it could not be started. */
  readonly exitCode: number | undefined;
  readonly durationMs: number;
}

/** The program that gets the terminal. */
interface LentTo {
  /** The path of the shell. Default: `/bin/sh`. */
  readonly shell?: string;
  /** The command for it, and its operands. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Called when the terminal is free, before the program gets it. */
  readonly begin: () => void;
}

/** Added to a signal's number, as shells do. */
const signalCode = 128;

/** The last program that asked for the terminal; the next one waits for it. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Lends the terminal to a shell command until it exits. A running turn continues meanwhile: nothing is drawn, and Ctrl-C goes
 * to the command.
 */
export function lendTerminal(surface: Surface, to: LentTo): Promise<LentEnd> {
  const lent = last.then(() => lend(surface, to));
  last = lent.catch(() => {});
  return lent;
}

/** Resolves when no program has the terminal. */
export async function whenNotLent(): Promise<void> {
  await last;
}

async function lend(surface: Surface, to: LentTo): Promise<LentEnd> {
  const startedMs = performance.now();
  to.begin();
  surface.hide();
  process.stdin.pause();
  giveTerminalBack();
  const resume = onInterrupt(() => {});
  let leave = () => {};
  try {
    const child = startShell(to);
    leave = beforeExit(() => void child?.kill("SIGHUP"));
    const exitCode = await new Promise<number | undefined>((settle) => {
      if (!child) return settle(undefined);
      child.once("error", () => settle(undefined));
      child.once("exit", (code, signal) => settle(code ?? signalCode + (signal ? constants.signals[signal] : 0)));
    });
    return { exitCode, durationMs: performance.now() - startedMs };
  } finally {
    leave();
    resume();
    takeTerminal();
    process.stdin.resume();
    surface.show();
  }
}

/** Starts the command; undefined if Node throws: the command is too long or contains a NUL, or there is no memory. */
function startShell({ shell = "/bin/sh", command: [script, ...args], cwd, env }: LentTo) {
  try {
    return startProgram(shell, ["-c", script, "sh", ...args], { cwd, env }, "inherit", "inherit", "inherit");
  } catch {
    return undefined;
  }
}

/** Suspends the whole process group, as the terminal does on Ctrl-Z: `npm start` as well. */
export function suspend(surface: Surface): void {
  surface.hide();
  giveTerminalBack();
  const resume = () => {
    process.off("SIGCONT", resume);
    takeTerminal();
    surface.show();
  };
  process.on("SIGCONT", resume);
  process.kill(0, "SIGTSTP");
  // An orphaned process group does not stop, so no SIGCONT follows.
  setImmediate(resume);
}

/** Opens the message in the editor that `VISUAL` or `EDITOR` names. */
export async function editElsewhere(tui: Tui): Promise<void> {
  try {
    const before = tui.editor.text();
    const written = await editText(tui, before, "message.md");
    if (written !== undefined) tui.editor.setText(withAdded(tui.editor.text(), before, written));
  } catch (error) {
    tui.showHint(sanitiseLine((error as Error).message));
  }
}

/** Opens the text of a dialog in that editor; undefined if it is not saved. */
async function editDraft(tui: Tui, text: string, name: string): Promise<string | undefined> {
  try {
    return await editText(tui, text, name);
  } catch (error) {
    tui.showHint(sanitiseLine((error as Error).message));
    return undefined;
  }
}

async function editText(tui: Tui, text: string, name: string): Promise<string | undefined> {
  const directory = mkdtempSync(temporaryPath("draft-"));
  const path = join(directory, name);
  try {
    writeFileSync(path, text, { mode: 0o600 });
    return (await editFile(tui, path)) ? withoutEnd(readFileSync(path, "utf8"), "\n") : undefined;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Keeps queued messages that came back before the text because a turn was stopped while the editor was open. */
function withAdded(now: string, before: string, written: string): string {
  if (now === before) return written;
  return now.endsWith(before) ? now.slice(0, now.length - before.length) + written : `${now}\n${written}`;
}

/** Opens a file in the user's editor and returns whether it succeeded. A running turn continues meanwhile. */
export async function editFile(tui: Tui, path: string): Promise<boolean> {
  const { env, places } = tui.session.agent;
  // The variables hold a command with its arguments.
  const command = [`${editorCommand(env)} "$1"`, path] as const;
  const { exitCode } = await runInForeground(tui, command, { env: programEnvironment(env, places.projectDir) });
  if (exitCode !== 0) tui.showHint(`The text is unchanged. ${sanitiseLine(editorFailure(env, exitCode))}`);
  return exitCode === 0;
}

/** A user's command that gets the terminal. */
interface InTerminal {
  readonly block: CallBlock;
  readonly command: string;
  /** The path of the shell that runs it. */
  readonly shell: string;
  readonly callId: string;
  readonly typed: TypedCall;
  /** Whether it stays out of the conversation. */
  readonly isApart: boolean;
}

/** A shell's exit code for a command that it cannot run. */
const shellError = 127;

/** Sent to the model instead of the output, which goes to the terminal. */
const notKept = "(This program ran in the user's terminal; its output was not captured.)";

/** Runs a command with the terminal: an editor, a pager, or any other after `!!`. What it prints stays above its block. */
export async function runInTerminal(tui: Tui, to: InTerminal): Promise<void> {
  const { block, command, shell, callId, typed, isApart } = to;
  const { exitCode = shellError, durationMs } = await runInForeground(tui, [command], { shell });
  const envelope = (output: string) => ({ tool_success: true, result: { output, exit_code: exitCode } }) as const;
  block.ended({ name: typed.name, envelope: envelope(""), durationMs, notes: [] });
  if (isApart) return;
  recordTypedCall(tui.session.agent.conversation, typed, callId, {
    json: JSON.stringify(envelope(notKept)),
    durationMs,
  });
  tui.addRecord({
    ...block.recorded(),
    result: { name: typed.name, envelope: envelope(notKept), durationMs, notes: [] },
  });
}

/** Runs a command of ikigai that asks the user, with the terminal. Returns its exit code. */
export async function runOwnCommand(tui: Tui, args: readonly string[]): Promise<number | undefined> {
  const [, script = ""] = process.argv;
  const { exitCode } = await runInForeground(tui, ['exec "$@"', process.execPath, script, ...args]);
  return exitCode;
}

/** Runs a shell command in the project with the terminal. Closes an open viewer. */
function runInForeground(
  tui: Tui,
  command: readonly [string, ...string[]],
  { shell, env = tui.session.agent.env }: { readonly shell?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<LentEnd> {
  const { projectDir: cwd } = placesOfCalls(tui.session.agent);
  const { dialog } = tui;
  const begin = () => tui.viewer?.close();
  return lendTerminal(tui.surface, { ...(shell && { shell }), command, cwd, env, begin }).finally(() => {
    // A key that was meant for the program does not answer a question that has opened meanwhile.
    if (tui.dialog !== dialog) tui.focus.toDraft();
  });
}

/** Lets a dialog take a text of several lines, with the keys of the editor. @param name a file's, for the user's own editor */
export function severalLines(tui: Tui, name: string): SeveralLines {
  const { "new-line": newLine, edit } = tui.bindings;
  return {
    newLine: namesOf(newLine),
    edit: namesOf(edit),
    openEditor: (text) => editDraft(tui, text, name),
    wrapped: tui.session.screen.signs.wrapped,
  };
}

/** What the keys of such a dialog do, as a sentence. */
export function lineHint({ bindings }: Tui, enter: string, esc: string): string {
  const { "new-line": newLine, edit } = bindings;
  // Terminals send some of these keys as Enter; the last one is the safest.
  const keys = [
    ...newLine.slice(-1).map((key) => `${key} adds a line`),
    ...edit.slice(0, 1).map((key) => `${key} opens your editor`),
  ];
  return `${[enter, ...keys, esc].join(", ")}.`;
}
