import type { AgentsWork, ContextFrame } from "@ikigai/agent/internal";
import type { TodoItem } from "../../render/render-todos.ts";
import { type WorkRecord, withRecord } from "../components/call-record.ts";
import type { Dialog } from "../components/dialog.ts";
import type { KeyBindings } from "../components/key-bindings.ts";
import type { Work } from "../components/render-dock.ts";
import type { Running } from "../components/running.ts";
import type { Viewer } from "../components/viewer.ts";
import type { Theme } from "../pi-tui/theme.ts";
import { createBegunCommand } from "./begun-command.ts";
import { nothingYet, type Shown } from "./shown.ts";
import { addSums, type TurnSum } from "./turn-sum.ts";

/** Keys typed this soon after others, in milliseconds, belong to the same text and answer no question that appears meanwhile. */
export const writingMs = 800;

/** A question that was on the screen for less, in milliseconds, has not been read: keys that waited meanwhile are text. */
const reactionMs = 200;

const notYet = Number.POSITIVE_INFINITY;

/** The state of the screen and its transitions. Every change is drawn soon. */
export interface ScreenState extends Shown {
  setTheme(theme: Theme): void;
  openDialog(dialog: Dialog): void;
  /** Notes that a frame with the open dialog is on the screen. @param atMs since when, by `performance.now()` */
  noteDrawn(atMs: number): void;
  /** Notes that the terminal has shown the open dialog. @param atMs when, by `performance.now()` */
  noteShown(atMs: number): void;
  /** Opens a dialog once all earlier ones have been answered, and resolves with its answer. */
  afterDialogs<Answer>(open: () => Promise<Answer>): Promise<Answer>;
  closeDialog(): void;
  openViewer(viewer: Viewer): void;
  closeViewer(): void;
  beginWork(work: Work): void;
  /** Changes the activity of running work. `hasCalls`: calls run, each of which shows its own duration. */
  setActivity(activity: string, hasCalls?: boolean): void;
  /** Notes that the model is asked again: the clock starts at 0. */
  askAgain(): void;
  /** Sets or clears the pending retry of a request. */
  setRetry(retry: Work["retry"]): void;
  endWork(branch: string | undefined): void;
  addRecord(record: WorkRecord): void;
  /** Forgets all calls, for another conversation. */
  clearRecords(): void;
  addRecentModel(id: string): void;
  setFocus(hasFocus: boolean): void;
  /** Notes that the user types; `isEmpty`: the editor is empty now. */
  noteWriting(isEmpty: boolean): void;
  noteSurprise(isSurprise: boolean): void;
  /** Notes that the user begins a command: a dialog that it opens is no surprise, unless they type meanwhile. @param running its end */
  noteCommand(running?: Promise<unknown>): void;
  /** Whether a command that has just begun may still open a dialog. */
  isOpening(): boolean;
  /** Notes that the command that has begun last will open a dialog, but not at once. What is a surprise takes no keys from the text. */
  expectDialog(): void;
  /** Whether a dialog that opens now is a surprise. */
  surprises(): boolean;
  /** Whether a key that was pressed at this time belongs to the text, although a dialog has opened meanwhile. */
  isWriting(atMs: number): boolean;
  noteEscape(): void;
  /** Caches the providers' models; undefined: ask again the next time. */
  setListedModels(names: Promise<readonly string[]> | undefined): void;
  setTodos(items: readonly TodoItem[]): void;
  setStatus(status: string | undefined): void;
  setRunning(running: Running): void;
  addDone(sum: TurnSum): void;
  setAgentsWork(work: AgentsWork): void;
  setContext(context: ContextFrame): void;
  showHint(hint: string): void;
  showKeys(): void;
  /** Removes the hint and the keys. */
  clearHint(): void;
  setBindings(bindings: KeyBindings): void;
  /** Draws a change made elsewhere: in a block, the editor, the open dialog or the facts about a model. */
  redraw(isUrgent?: boolean): void;
}

/** @param redraw shows a change; `isUrgent`: at once, as the user has pressed a key */
export function createScreenState(
  first: Pick<Shown, "theme" | "recentModels" | "branch">,
  redraw: (isUrgent: boolean) => void,
): ScreenState {
  const change = (changed: Partial<Shown>, isUrgent = true) => {
    Object.assign(state, changed);
    redraw(isUrgent);
  };
  const changeWork = (changed: Partial<Work>) => {
    const { work } = state;
    const isNews = work && Object.entries(changed).some(([name, value]) => work[name as keyof Work] !== value);
    if (isNews) change({ work: { ...work, ...changed } }, false);
  };
  let answered: Promise<unknown> = Promise.resolve();
  const command = createBegunCommand();
  const state: ScreenState = {
    ...first,
    ...nothingYet,
    setTheme: (theme) => change({ theme }),
    openDialog: (dialog) => change({ dialog, dialogSinceMs: notYet, dialogShownMs: notYet }),
    noteDrawn(atMs) {
      if (state.dialogSinceMs > atMs) Object.assign(state, { dialogSinceMs: atMs });
      state.dialog?.drawn?.(atMs);
      if (state.dialog) command.opened();
    },
    noteShown: (dialogShownMs) => change({ dialogShownMs }, false),
    afterDialogs(open) {
      const answer = answered.then(open);
      answered = answer.catch(() => {});
      return answer;
    },
    closeDialog: () => change({ dialog: undefined }),
    openViewer: (viewer) => change({ viewer }),
    closeViewer: () => change({ viewer: undefined }),
    beginWork: (work) => change({ work }),
    setActivity: (activity, hasCalls = false) => changeWork({ activity, hasCalls }),
    askAgain: () => changeWork({ activity: "thinking", hasCalls: false, askedMs: performance.now() }),
    setRetry: (retry) => changeWork({ retry }),
    endWork: (branch) => change({ work: undefined, branch }),
    addRecord: (record) => change({ records: withRecord(state.records, record) }, false),
    clearRecords: () => change({ records: [] }, false),
    addRecentModel: (id) => change({ recentModels: [...new Set([...state.recentModels, id])] }, false),
    setFocus: (hasFocus) => change({ hasFocus }, false),
    noteWriting: (isEmpty) => change({ lastWrittenMs: isEmpty ? Number.NEGATIVE_INFINITY : performance.now() }, false),
    noteSurprise: (isSurprise) => change({ isSurprise }, false),
    noteCommand(running) {
      command.begin(running);
      change({ commandMs: performance.now() }, false);
    },
    isOpening: command.isOpening,
    expectDialog: () => (state.isSurprise ? undefined : command.expectDialog()),
    surprises: () => state.isSurprise || state.lastWrittenMs > state.commandMs,
    isWriting(atMs) {
      const { lastWrittenMs, dialogSinceMs } = state;
      return atMs - lastWrittenMs < writingMs || (lastWrittenMs > 0 && atMs - dialogSinceMs < reactionMs);
    },
    noteEscape: () => change({ lastEscapeMs: performance.now() }, false),
    setListedModels: (listedModels) => change({ listedModels }, false),
    setTodos: (items) => change({ todos: items }),
    setStatus: (status) => change({ status }, false),
    setRunning: (running) => change({ running }, false),
    addDone: (sum) => change({ done: addSums(state.done, sum) }, false),
    setAgentsWork: (agentsWork) => change({ agentsWork }, false),
    setContext: (context) => change({ context }, false),
    showHint: (hint) => change({ hint }),
    showKeys: () => change({ hasKeys: true }),
    clearHint: () => change({ hint: undefined, hasKeys: false }, false),
    setBindings: (bindings) => change({ bindings }, false),
    redraw: (isUrgent = false) => redraw(isUrgent),
  };
  return state;
}
