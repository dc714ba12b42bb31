import type { ContextFrame } from "@ikigai/agent/internal";
import type { Session } from "../../session/session.ts";
import { type CommandNames, commandCalled } from "../../session/slash-command.ts";
import type { CallRecord } from "../components/call-record.ts";
import type { Dialog } from "../components/dialog.ts";
import type { Transcript } from "../components/transcript.ts";
import type { Editor } from "../pi-tui/editor.ts";
import type { Theme } from "../pi-tui/theme.ts";
import type { Surface } from "../terminal/surface.ts";
import type { Scheduler } from "./scheduler.ts";

/** A text that fills the screen, on a screen of its own: the one below is as it was when it is closed. */
export interface Viewer {
  key(typed: string): void;
  close(): void;
}

/** A command that starts with a slash. */
export interface TuiCommand extends CommandNames {
  /** What stands behind the name in the help. */
  readonly parameters?: string;
  readonly summary: string;
  /** Can be run while the model works. */
  readonly isQuick?: boolean;
  /** What its argument may be. */
  readonly complete?: (tui: Tui) => readonly string[] | Promise<readonly string[]>;
  /** `argument` is what stands behind the name. */
  readonly run: (argument: string, tui: Tui) => Promise<void> | void;
}

/** A request that failed and will be sent again. */
export interface Retry {
  readonly why: string;
  /** By the clock of `performance`. */
  readonly atMs: number;
  readonly count: number;
  readonly most: number;
}

/** Work that goes on: an answer, or a command the user typed. */
export interface Work {
  readonly controller: AbortController;
  readonly startedMs: number;
  /** What goes on, in a word or two. */
  activity: string;
  /** Whether calls run, each of which shows how long it has taken. */
  hasCalls?: boolean;
  /** Why a request failed, and when it is sent again. */
  retry?: Retry | undefined;
}

/** Everything the full screen shows. A plain value, which functions change; `redraw` shows the change. */
export interface Tui {
  readonly session: Session;
  readonly surface: Surface;
  readonly transcript: Transcript;
  readonly editor: Editor;
  theme: Theme;
  /** What stands in the place of the editor, if anything does. */
  dialog: Dialog | undefined;
  /** What fills the screen, if anything does. */
  viewer: Viewer | undefined;
  work: Work | undefined;
  /** Runs what the user types, one thing after the other. */
  readonly scheduler: Scheduler;
  /** The calls of this conversation, for whoever wants to see all of them. */
  readonly records: CallRecord[];
  /** The models that were used, for the key that goes through them. */
  recentModels: readonly string[];
  /** Whether the user looks at this window; undefined while the terminal has not told. */
  hasFocus: boolean | undefined;
  /** When something was last written into the editor and not sent. */
  lastWrittenMs: number;
  /** What is sent beside the messages, as it was when somebody last looked. */
  frame: ContextFrame;
  /** A word to the user, until the next key. */
  hint: string | undefined;
  /** The branch that is checked out. */
  branch: string | undefined;
  /** What can be said behind a slash. */
  commands: readonly TuiCommand[];
  /** Looks for commands that are files. */
  readonly loadCommands: () => Promise<void>;
  /** Ends the session at once. */
  readonly leave: () => void;
}

/** Shows what has changed. */
export function redraw(tui: Tui, isUrgent = false): void {
  tui.transcript.settle();
  tui.surface.requestDraw(isUrgent);
}

/** The command that a line begins with. */
export function findCommand(line: string, { commands }: Tui): TuiCommand | undefined {
  const [name = ""] = line.slice(1).split(/\s/);
  return commandCalled(name, commands);
}

/** Gives a key to the editor. */
export function write(tui: Tui, typed: string): void {
  tui.editor.key(typed);
  tui.lastWrittenMs = tui.editor.text() === "" ? Number.NEGATIVE_INFINITY : performance.now();
}
