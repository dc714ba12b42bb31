// What the full screen shows, and how it changes.

import type { agentsWork } from "@ikigai/agent/internal";
import type { Dialog, Theme, Viewer } from "@ikigai/screen";
import type { RequestParts } from "@ikigai/session";
import type { TodoItem } from "../../render/call/render-brief.ts";
import { type WorkRecord, withRecord } from "../components/call-record.ts";
import type { Running, Work } from "../components/dock.ts";
import { defaultBindings, type KeyBindings } from "../components/key-bindings.ts";
import { addSums, nothingDone, noWork, type TurnSum } from "./turn-sum.ts";

/** The state of the screen and its transitions. Every change is drawn soon. */
export interface ScreenState extends Shown {
  setTheme(theme: Theme): void;
  openDialog(dialog: Dialog): void;
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
  setWindowFocus(windowHasFocus: boolean): void;
  noteEscape(): void;
  setAside(stop: (() => void) | undefined): void;
  /** Caches the providers' models; undefined: ask again the next time. */
  setListedModels(names: Promise<readonly string[]> | undefined): void;
  setTodos(items: readonly TodoItem[]): void;
  setStatus(status: string | undefined): void;
  setRunning(running: Running): void;
  addDone(sum: TurnSum): void;
  setAgentsWork(work: ReturnType<typeof agentsWork>): void;
  setContext(context: RequestParts): void;
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
  const state: ScreenState = {
    ...first,
    ...nothingYet,
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
    askAgain: () => changeWork({ activity: "thinking", hasCalls: false, askedMs: performance.now() }),
    setRetry: (retry) => changeWork({ retry }),
    endWork: (branch) => change({ work: undefined, branch }),
    addRecord: (record) => change({ records: withRecord(state.records, record) }, false),
    clearRecords: () => change({ records: [] }, false),
    addRecentModel: (id) => change({ recentModels: [...new Set([...state.recentModels, id])] }, false),
    setWindowFocus: (windowHasFocus) => change({ windowHasFocus }, false),
    setAside: (aside) => change({ aside }, false),
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

/** What the screen shows besides the conversation and the editor. Only `ScreenState` changes it. */
interface Shown {
  readonly theme: Theme;
  /** The dialog shown instead of the editor. */
  readonly dialog: Dialog | undefined;
  /** The full-screen text, if one is open. */
  readonly viewer: Viewer | undefined;
  readonly work: Work | undefined;
  /** Stops the side question that is being answered beside the work; undefined without one. */
  readonly aside: (() => void) | undefined;
  /** The calls and thoughts of this conversation, for `/calls`. */
  readonly records: readonly WorkRecord[];
  /** The models used so far, for Ctrl-P. */
  readonly recentModels: readonly string[];
  /** Whether the window has the focus; undefined until the terminal reports it. */
  readonly windowHasFocus: boolean | undefined;
  /** When Esc was last pressed on an empty line, by the same clock. */
  readonly lastEscapeMs: number;
  /** The models that the providers list, once requested. */
  readonly listedModels: Promise<readonly string[]> | undefined;
  /** The tasks of the session, as last read. */
  readonly todos: readonly TodoItem[];
  /** What the user's status command printed. */
  readonly status: string | undefined;
  /** What runs in the background. */
  readonly running: Running;
  /** What all turns have done. */
  readonly done: TurnSum;
  /** What the agents of the conversation have done, as last counted. */
  readonly agentsWork: ReturnType<typeof agentsWork>;
  /** The system prompt and the schemas, as last computed. */
  readonly context: RequestParts;
  /** A hint, shown until the next key. */
  readonly hint: string | undefined;
  /** Whether the keys are shown below the editor, until the next key. */
  readonly hasKeys: boolean;
  /** The keys of each action. */
  readonly bindings: KeyBindings;
  /** The checked-out branch. */
  readonly branch: string | undefined;
}

/** A screen on which nothing has happened. */
const nothingYet = {
  dialog: undefined,
  viewer: undefined,
  work: undefined,
  aside: undefined,
  records: [],
  windowHasFocus: undefined,
  lastEscapeMs: Number.NEGATIVE_INFINITY,
  listedModels: undefined,
  todos: [],
  status: undefined,
  running: { jobs: [], agents: 0, services: 0 },
  done: nothingDone,
  agentsWork: noWork,
  context: { system: "", tools: [] },
  hint: undefined,
  hasKeys: false,
  bindings: defaultBindings,
} satisfies Partial<Shown>;
