// The full screen as one value, `Tui`, which all of this folder works on. The folder: screen-state (what is shown) and render-screen (the frame);
// submit (typed lines) ← turn-view (the turn) and turn-sum, working (what is busy); scheduler (when it is taken); ask-permission, ask-for-tool ←
// open-dialog; leave ← open-work (jobs and agents); lend-terminal and run-beside (other programs); history, user-files and watch-home (the user's files);
// tui-output (for what also runs without a screen).

import { type Dialog, type Editor, type ImageTerminal, type Surface, wrapBelowText } from "@ikigai/screen";
import type { Conversation } from "@ikigai/session";
import { withoutEnd } from "@ikigai/system";
import type { SlashCommandFacts } from "../../help/slash-command-table.ts";
import { failureText } from "../../render/failures.ts";
import { type CommandNames, commandCalled } from "../../session/commands/find-command.ts";
import type { Session } from "../../session/session.ts";
import { fixedBlock, type Transcript } from "../components/transcript.ts";
import type { Scheduler } from "./scheduler.ts";
import type { ScreenState } from "./screen-state.ts";

/** What the full screen does for a command. */
export interface ScreenHandler {
  /** Completions of its argument. */
  readonly complete?: (tui: Tui) => readonly string[] | Promise<readonly string[]>;
  /**
   * @param argument the text after the name
   * @param isAside whether a turn or another command runs, or can begin, meanwhile
   */
  readonly run: (argument: string, tui: Tui, isAside?: boolean) => Promise<void> | void;
}

/** A command that starts with a slash. */
export interface TuiCommand extends CommandNames, SlashCommandFacts, ScreenHandler {
  /** Its text comes from a file, which may have changed since it was loaded. */
  readonly isFromFile?: boolean;
}

/** What a dialog is part of: a command of the user, or a question that they have not asked for. */
export type DialogKind = "command" | "question";

/** Who gets the keys: the open dialog or the draft. */
export interface Focus {
  isOnDialog(): boolean;
  /** Takes a key. */
  take(typed: string): void;
  /** Takes a paste; `isCut`: its end is lost. */
  paste(text: string, isCut: boolean): void;
  /** A dialog has opened. */
  opened(dialog: Dialog, kind: DialogKind): void;
  /** A frame is on the screen. */
  drawn(): void;
  /** The user has answered a dialog: keys wait for the next one of the same command or question. */
  answered(kind: DialogKind): void;
  /** Gives the open dialog the focus. */
  toDialog(): void;
  toDraft(): void;
  /** The draft was sent, and nothing else is being typed. */
  sent(): void;
  /** A command has begun: keys wait for the dialog that it opens, at most until it ends. */
  expect(command: Promise<unknown>): void;
  /** A question has begun, which may have several dialogs. */
  asks(): void;
  /** Nothing of this kind opens another dialog. */
  release(kind: DialogKind): void;
}

/** Lists the files below the directory of the calls, nearest first, then those of added directories. Directories end in a slash. */
export type FileIndex = () => Promise<readonly string[]>;

/** The full screen: its state, and the parts that own the rest of what it shows. */
export interface Tui extends ScreenState {
  readonly session: Session;
  readonly surface: Surface;
  readonly transcript: Transcript;
  readonly editor: Editor;
  readonly focus: Focus;
  readonly images: ImageTerminal;
  /** Runs what the user types, one input at a time. */
  readonly scheduler: Scheduler;
  /** The files that `@` completes. */
  readonly files: FileIndex;
  /** The slash commands, as last loaded. */
  readonly commands: () => readonly TuiCommand[];
  /** Loads the custom commands. */
  readonly loadCommands: () => Promise<void>;
  /** Quits at once, by default with exit code 0. */
  readonly leave: (exitCode?: number) => void;
  /** The next look at what runs in the background; see open-work. */
  nextLook?: NodeJS.Timeout;
  /** The conversations that were left while their jobs or agents ran. */
  left: readonly Conversation[];
  /** Whether the status command runs, and whether it runs once more then. */
  readonly statusRun: { isRunning: boolean; isDue: boolean };
}

/** The slash command that a line begins with. */
export function findSlashCommand(line: string, { commands }: Tui): TuiCommand | undefined {
  const [name = ""] = line.slice(1).split(/\s/);
  return commandCalled(name, commands());
}

/** Adds a note to the transcript; `text` is sanitised and may have colours. */
export function say(tui: Tui, text: string): void {
  const lines = withoutEnd(text, "\n").split("\n");
  tui.transcript.add(fixedBlock("note", (columns) => lines.flatMap((line) => wrapBelowText(line, columns))));
}

/** Shows what an action throws; the conversation continues. */
export async function catching(tui: Tui, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    say(tui, tui.theme.style.red(failureText(error)));
  }
}
