import { type AgentsWork, type ContextFrame, noWork } from "@ikigai/agent/internal";
import type { TodoItem } from "../../render/render-brief.ts";
import type { WorkRecord } from "../components/call-record.ts";
import type { Dialog } from "../components/dialog.ts";
import { defaultBindings, type KeyBindings } from "../components/key-bindings.ts";
import type { Work } from "../components/render-dock.ts";
import type { Running } from "../components/running.ts";
import type { Viewer } from "../components/viewer.ts";
import type { Theme } from "../pi-tui/theme.ts";
import { nothingDone, type TurnSum } from "./turn-sum.ts";

/** What the screen shows besides the conversation and the editor. Only `ScreenState` changes it. */
export interface Shown {
  readonly theme: Theme;
  /** The dialog shown instead of the editor. */
  readonly dialog: Dialog | undefined;
  /** The full-screen text, if one is open. */
  readonly viewer: Viewer | undefined;
  readonly work: Work | undefined;
  /** The calls and thoughts of this conversation, for `/calls`. */
  readonly records: readonly WorkRecord[];
  /** The models used so far, for Ctrl-P. */
  readonly recentModels: readonly string[];
  /** Whether the window has the focus; undefined until the terminal reports it. */
  readonly hasFocus: boolean | undefined;
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
  readonly agentsWork: AgentsWork;
  /** The system prompt and the schemas, as last computed. */
  readonly context: ContextFrame;
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
export const nothingYet = {
  dialog: undefined,
  viewer: undefined,
  work: undefined,
  records: [],
  hasFocus: undefined,
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
