import type { ContextFrame } from "@ikigai/agent/internal";
import { type CallRecord, withRecord } from "../components/call-record.ts";
import type { Dialog } from "../components/dialog.ts";
import type { Work } from "../components/render-dock.ts";
import type { Viewer } from "../components/viewer.ts";
import type { Theme } from "../pi-tui/theme.ts";

/** What is on the screen besides the conversation and the editor. Everybody reads it; only `ScreenState` changes it. */
interface Shown {
  readonly theme: Theme;
  /** The dialog shown instead of the editor. */
  readonly dialog: Dialog | undefined;
  /** What fills the screen, if anything does. */
  readonly viewer: Viewer | undefined;
  readonly work: Work | undefined;
  /** The calls of this conversation, for whoever wants to see all of them. */
  readonly records: readonly CallRecord[];
  /** The models that were used, for the key that goes through them. */
  readonly recentModels: readonly string[];
  /** Whether the user looks at this window; undefined while the terminal has not told. */
  readonly hasFocus: boolean | undefined;
  /** When something was last written into the editor and not sent, by the clock of `performance`. */
  readonly lastWrittenMs: number;
  /** When Esc was last pressed on an empty line, by the same clock. */
  readonly lastEscapeMs: number;
  /** The models that the providers have listed, once somebody has asked them. */
  readonly listedModels: Promise<readonly string[]> | undefined;
  /** What is sent beside the messages, as it was when somebody last looked. */
  readonly context: ContextFrame;
  /** A word to the user, until the next key. */
  readonly hint: string | undefined;
  /** The branch that is checked out. */
  readonly branch: string | undefined;
}

/** The state of the screen, and everything that may happen to it. What changes is drawn soon. */
export interface ScreenState extends Shown {
  setTheme(theme: Theme): void;
  openDialog(dialog: Dialog): void;
  /** Opens a dialog, and settles with its answer, once those that were asked for before have been answered: one is open at a time. */
  afterDialogs<Answer>(open: () => Promise<Answer>): Promise<Answer>;
  closeDialog(): void;
  openViewer(viewer: Viewer): void;
  closeViewer(): void;
  beginWork(work: Work): void;
  /** Says what goes on, if anything does. `hasCalls`: calls run, each of which shows how long it has taken. */
  setActivity(activity: string, hasCalls?: boolean): void;
  /** A request is sent again soon, or not any more. */
  setRetry(retry: Work["retry"]): void;
  endWork(branch: string | undefined): void;
  addRecord(record: CallRecord): void;
  /** Another conversation has no calls yet. */
  clearRecords(): void;
  addRecentModel(id: string): void;
  setFocus(hasFocus: boolean): void;
  /** Something was typed into the editor; `isEmpty`: nothing of it is left. */
  noteWriting(isEmpty: boolean): void;
  noteEscape(): void;
  /** Keeps what the providers list; undefined: they are asked again the next time. */
  setListedModels(names: Promise<readonly string[]> | undefined): void;
  setContext(context: ContextFrame): void;
  showHint(hint: string): void;
  clearHint(): void;
  /** Draws what has changed elsewhere: in a block, the editor, the open dialog or the facts about a model. */
  redraw(isUrgent?: boolean): void;
}

/** @param redraw shows a change; `isUrgent`: somebody has pressed a key and waits for it. */
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
  const state: ScreenState = {
    ...first,
    dialog: undefined,
    viewer: undefined,
    work: undefined,
    records: [],
    hasFocus: undefined,
    lastWrittenMs: Number.NEGATIVE_INFINITY,
    lastEscapeMs: Number.NEGATIVE_INFINITY,
    listedModels: undefined,
    context: { system: "", tools: [] },
    hint: undefined,
    setTheme: (theme) => change({ theme }),
    openDialog: (dialog) => change({ dialog }),
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
    setRetry: (retry) => changeWork({ retry }),
    endWork: (branch) => change({ work: undefined, branch }),
    addRecord: (record) => change({ records: withRecord(state.records, record) }, false),
    clearRecords: () => change({ records: [] }, false),
    addRecentModel: (id) => change({ recentModels: [...new Set([...state.recentModels, id])] }, false),
    setFocus: (hasFocus) => change({ hasFocus }, false),
    noteWriting: (isEmpty) => change({ lastWrittenMs: isEmpty ? Number.NEGATIVE_INFINITY : performance.now() }, false),
    noteEscape: () => change({ lastEscapeMs: performance.now() }, false),
    setListedModels: (listedModels) => change({ listedModels }, false),
    setContext: (context) => change({ context }, false),
    showHint: (hint) => change({ hint }),
    clearHint: () => change({ hint: undefined }, false),
    redraw: (isUrgent = false) => redraw(isUrgent),
  };
  return state;
}
