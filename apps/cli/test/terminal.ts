import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { spawn } from "@lydell/node-pty";
import { Terminal as VirtualTerminal } from "@xterm/headless";
import { onTestFinished } from "vitest";
import { asking, bin, cleanEnv, until } from "./ikigai.ts";

export interface TerminalOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  readonly rows?: number;
  /** Whether to use the full screen instead of lines. */
  readonly isFull?: boolean;
  /** A program to start instead of ikigai. */
  readonly command?: readonly [string, ...string[]];
  /** A program that starts ikigai: the command is added to its arguments. */
  readonly within?: readonly string[];
  /** What the terminal answers to a question of the program, at once and the first time it is asked. */
  readonly answers?: { readonly question: string; readonly answer: string };
  /** Whether it answers the questions of the program, as xterm.js does. */
  readonly isAnswering?: boolean;
  /** A home without sessions: ikigai asks which model to use. */
  readonly isNewHome?: boolean;
  /** Whether the mode is the one that a person gets who has named none. Default: `ask`. */
  readonly startsInOwnMode?: boolean;
}

/** ikigai in a real terminal, as a person sees it. */
export interface Terminal {
  readonly pid: number;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** The screen and its scrollback, without empty lines at the end. */
  screen(): string;
  /** The rows of the screen, also empty ones. */
  visible(): string[];
  /** The screen and its scrollback, with durations replaced, which change from run to run. */
  steadyScreen(): string;
  /** Waits until the screen contains this, wherever its lines break; returns the screen. */
  waitFor(text: string | RegExp, timeoutMs?: number): Promise<string>;
  /** Waits until the last line is an empty prompt, and not the one before the typed keys. */
  waitForPrompt(): Promise<string>;
  /** Every byte that was sent to the terminal. */
  raw(): string;
  /** Reads nothing until `resume`, like a window that hangs. */
  pause(): void;
  resume(): void;
  readonly exitCode: Promise<number>;
  kill(signal: NodeJS.Signals): void;
  /** Closes the window. */
  hangUp(): void;
}

/** Longer than the screen waits before it draws again, and than equal keys are apart that a held key repeats; in milliseconds. */
const quietMs = 45;

/** How long to wait for that quiet, in milliseconds: an animation never stops. */
const maxQuietMs = 270;

/** Lines of scrollback. */
const scrollback = 10_000;

export async function openTerminal(args: readonly string[] = [], options: TerminalOptions = {}): Promise<Terminal> {
  const { columns = 100, rows = 40, env, command, within = [], isFull = false } = options;
  const cwd = options.cwd ?? (await tempDir());
  const isSubcommand = args[0] !== undefined && !args[0].startsWith("-");
  const started = isSubcommand || options.startsInOwnMode ? args : asking(args, env);
  const own = [process.execPath, bin, ...(isFull || isSubcommand ? started : ["--plain", ...started])];
  const [file = "", ...rest] = command ?? [...within, ...own];
  const definedEnv = Object.entries({ ...(await cleanEnv()), ...env }).filter(([, value]) => value !== undefined);
  const home = definedEnv.find(([name]) => name === "HOME")?.[1];
  if (!options.isNewHome) startBefore(home);
  const pty = spawn(file, rest, {
    cols: columns,
    rows,
    cwd,
    env: Object.fromEntries(definedEnv) as Record<string, string>,
  });
  const virtual = new VirtualTerminal({ cols: columns, rows, scrollback, allowProposedApi: true });
  if (options.isAnswering) virtual.onData((answer) => pty.write(answer));
  let raw = "";
  let written = 0;
  let lastOutputMs = 0;
  let lastInputMs = 0;
  /** Whether keys were sent of which the screen shows nothing yet. */
  let awaitsEcho = false;
  const show = (length: number, whenShown?: () => void) => {
    virtual.write(raw.slice(written, length), whenShown);
    written = length;
  };
  const { question = "", answer } = options.answers ?? {};
  let isAsked = false;
  pty.onData((data) => {
    raw += data;
    lastOutputMs = performance.now();
    const isEcho = awaitsEcho;
    if (answer !== undefined && !isAsked && raw.includes(question)) {
      isAsked = true;
      pty.write(answer);
    }
    // Like a terminal that supports synchronized output.
    const frame = raw.lastIndexOf("\u001b[?2026h");
    show(frame > raw.lastIndexOf("\u001b[?2026l") ? Math.max(written, frame) : raw.length, () => {
      if (isEcho) awaitsEcho = false;
    });
  });
  const exitCode = new Promise<number>((settle) =>
    pty.onExit(({ exitCode: code, signal }) => show(raw.length, () => settle(signal ? 128 + signal : code))),
  );
  let hasEnded = false;
  void exitCode.then(() => {
    hasEnded = true;
  });
  onTestFinished(() => {
    try {
      process.kill(pty.pid, "SIGKILL");
    } catch {
      // The process has ended.
    }
  });
  // Cached until a change, since waiting for a text reads it many times.
  let lastRead: string | undefined;
  virtual.onWriteParsed(() => {
    lastRead = undefined;
  });
  const screen = () => {
    lastRead ??= readScreen(virtual);
    return lastRead;
  };
  const terminal: Terminal = {
    pid: pty.pid,
    type: (keys) => {
      awaitsEcho = true;
      lastInputMs = performance.now();
      pty.write(keys);
    },
    resize: (newColumns, newRows) => {
      virtual.resize(newColumns, newRows);
      lastRead = undefined;
      lastInputMs = performance.now();
      pty.resize(newColumns, newRows);
    },
    screen,
    visible: () =>
      Array.from({ length: virtual.rows }, (_, row) => {
        const { active } = virtual.buffer;
        return (
          active
            .getLine(active.baseY + row)
            ?.translateToString(true)
            .trimEnd() ?? ""
        );
      }),
    steadyScreen: () => steady(screen()).replace(/^ {2}… (?!\d+ lines|.* %$).*\n/gm, ""),
    async waitFor(text, timeoutMs) {
      const pattern = typeof text === "string" ? acrossLines(text) : text;
      // A screen of 10,000 lines is searched only after a change.
      let searched: string | undefined;
      let isFound = false;
      const find = () => {
        if (screen() !== searched) {
          searched = screen();
          isFound = pattern.test(searched);
        }
        return isFound || hasEnded;
      };
      await until(find, `${text} on this screen:\n`, timeoutMs).catch((error: Error) => {
        throw new Error(error.message + screen());
      });
      if (!isFound) throw new Error(`It ended without ${text} on this screen:\n${screen()}`);
      // The rest of the output may arrive a moment later on a busy machine, and a key that comes sooner repeats the one before.
      const endMs = performance.now() + maxQuietMs;
      for (let nowMs = performance.now(); nowMs < endMs; nowMs = performance.now()) {
        const restMs = Math.max(lastOutputMs, lastInputMs) + quietMs - nowMs;
        if (restMs <= 0) break;
        await new Promise((settle) => setTimeout(settle, restMs));
      }
      return screen();
    },
    async waitForPrompt() {
      await until(() => !awaitsEcho || hasEnded, "an echo of the typed keys");
      return await terminal.waitFor(/(^|\n)[›>]\s*$/);
    },
    raw: () => raw,
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    exitCode,
    kill: (signal) => process.kill(pty.pid, signal),
    hangUp: () => (pty as unknown as { destroy(): void }).destroy(),
  };
  return terminal;
}

/** Makes a home one in which there has been a conversation. What cannot be written is what the test is about. */
function startBefore(home: string | undefined): void {
  if (!home?.startsWith(tmpdir()) || !existsSync(home)) return;
  try {
    // The files of a session whose log was removed, so that no list has it.
    mkdirSync(join(home, ".ikigai/sessions/earlier.files"), { recursive: true, mode: 0o700 });
  } catch {
    // Said above; or it is there.
  }
}

/** Matches a text wherever its lines break, also within a word: that depends on how long the temporary directory's path is. */
export function acrossLines(text: string): RegExp {
  const words = text
    .split(" ")
    .map((word) => Array.from(word, (character) => character.replace(/[\\^$.*+?()[\]{}|]/, "\\$&")).join("(?:\\n *)?"));
  return new RegExp(words.join("\\s+"));
}

/** Replaces durations, which change from run to run. */
export function steady(text: string): string {
  return text.replace(/\b\d+(\.\d+)? (ms|s)\b/g, "N ms");
}

function readScreen(virtual: VirtualTerminal): string {
  const { active } = virtual.buffer;
  const lines: string[] = [];
  for (let row = 0; row < active.length; row++) {
    const line = active.getLine(row);
    // A wrapped row does not end a line.
    const text = line?.translateToString(!active.getLine(row + 1)?.isWrapped) ?? "";
    if (line?.isWrapped) lines.push((lines.pop() ?? "") + text);
    else lines.push(text);
  }
  return lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
}

/** ikigai on its full screen. */
export function openFullScreen(args: readonly string[] = [], options: TerminalOptions = {}): Promise<Terminal> {
  return openTerminal(args, { ...options, isFull: true });
}

/**
 * Preloaded into a process, makes drawing a file change fail like a bug: only that code calls `fill` without an argument.
 */
export const drawingBug = `const { padStart } = String.prototype;
String.prototype.padStart = function (...args) {
  if (args.length === 1) throw new TypeError("drawn wrongly");
  return padStart.apply(this, args);
};`;
