// The snapshots of a conversation: one before each step with calls that may change files, taken while the model writes the first of
// them, and one after it, taken while the model thinks. What changes between steps is the user's doing.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RegisteredTool } from "@ikigai/core";
import { hereDirectory } from "@ikigai/core/internal";
import type { Undo, UndoPlan } from "@ikigai/git-files";
import { findProgram } from "@ikigai/system";
import { AgentError, isSystemError, systemMessage } from "../model/agent-error.ts";
import { asSentence } from "../model/as-sentence.ts";
import type { TurnUndo } from "./turn-undo.ts";

/** What undo needs to know of a project and its user. */
export interface UndoPlace {
  readonly projectDir: string;
  /** The user's `.ikigai`. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether to save any number of files, however long that takes. */
  readonly isUnlimited?: boolean;
}

/**
 * How long a call waits for the files to be saved, in milliseconds. The first time in a project takes longest: about a second for
 * 3,000 files, several on a machine that is busy.
 */
const maxWaitMs = 10_000;

const howToWait = "To save them anyway: ikigai config set undo true";
const tooSlow = `Saving the project's files takes over ${maxWaitMs / 1_000} s, so what is changed now cannot be undone. ${howToWait}`;

/**
 * Opens the undo of a session in this project; of the last one with snapshots, without an ID.
 *
 * @throws AgentError `undo_unavailable` without git, or without a snapshot; `undo_failed`.
 */
export async function openProjectUndo(place: UndoPlace, session?: string): Promise<ProjectUndo> {
  const { projectDir, home, env, isUnlimited } = place;
  const git = findProgram("git", env.PATH, projectDir);
  if (git === undefined) throw new AgentError("undo_unavailable", "Undo needs git, which is not on your PATH.");
  const { applyUndo, openUndo, planUndo, sessionsIn, userExcludes } = await import("@ikigai/git-files");
  const store = join(hereDirectory({ home, projectDir }), "undo.git");
  return inWords(async () => {
    const id = session ?? (await sessionsIn(store, git))[0];
    if (id === undefined) throw new AgentError("undo_unavailable", "Nothing to undo in this directory.");
    const excludes = await userExcludes(git, env);
    const limits = isUnlimited && { maxFiles: Number.POSITIVE_INFINITY };
    const undo = await openUndo({ projectDir, store, git, session: id, excludes, ...limits });
    return {
      session: id,
      undo,
      plan: (since) => inWords(() => planUndo(undo, since)),
      apply: (plan) => inWords(() => applyUndo(undo, plan)),
    };
  });
}

/** What one session's calls changed in the project, and the way back. */
export interface ProjectUndo {
  readonly session: string;
  readonly undo: Undo;
  /** What would be undone since the time of a message; see `planUndo`. @throws AgentError `undo_failed`. */
  plan(since?: number): Promise<UndoPlan | undefined>;
  /** @throws AgentError `undo_failed`; nothing is changed then. */
  apply(plan: UndoPlan): Promise<void>;
}

async function inWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { GitFailure } = await import("@ikigai/git-files");
    throw error instanceof GitFailure ? new AgentError("undo_failed", error.message, { cause: error }) : error;
  }
}

/** Opens nothing before the first call that may change files. */
export function turnUndo(place: UndoPlace, session: string): TurnUndo {
  let undo: Promise<ProjectUndo> | undefined;
  let turn: { readonly at: number; readonly text: string; readonly tell: (text: string) => void } | undefined;
  /** Whether the turn has the snapshot that an undo returns to. */
  let isBegun = false;
  /** The snapshot before the step's calls, given up by `late`, and whether they have run. */
  let step: { readonly late?: AbortController; readonly isFirst?: boolean; hasRun?: boolean } = {};
  let saving: Promise<unknown> = Promise.resolve();
  /** Whether a late snapshot is still being taken. It makes the next one fast. */
  let isLate = false;
  let isOver = false;
  let isTold = false;
  const save = (kind: "before" | "now" | "after", text: string): AbortController => {
    const late = new AbortController();
    const { at = 0, tell } = turn ?? {};
    undo ??= openProjectUndo(place, session);
    const opened = undo;
    saving = saving
      .then(async () => (await opened).undo.take({ turn: at, kind, text }, { signal: late.signal }))
      .catch((error: Error & { code?: string }) => {
        if (isOver || error.code === "too_late") return;
        isOver = true;
        tell?.(whyNotSaved(error));
      });
    return late;
  };
  const expect = (tool: RegisteredTool | undefined) => {
    if (step.late || isLate || isOver || turn === undefined || tool === undefined || !mayChangeFiles(tool)) return;
    step = { late: save(isBegun ? "now" : "before", turn.text), isFirst: !isBegun };
    isBegun = true;
  };
  const isSavedInTime = () => {
    const saved = saving.then(() => true);
    return place.isUnlimited ? saved : Promise.race([saved, sleep(maxWaitMs, false, { ref: false })]);
  };
  const goWithout = () => {
    if (isLate) return;
    isLate = true;
    saving = saving.then(() => {
      isLate = false;
    });
    step.late?.abort();
    if (!step.isFirst) return;
    isBegun = false;
    if (!isTold) turn?.tell(tooSlow);
    isTold = true;
  };
  return {
    begin(text, tell) {
      turn = { at: Date.now(), text, tell };
      isBegun = false;
    },
    expect,
    async ready(tool) {
      expect(tool);
      if (isLate || isOver || !step.late || !mayChangeFiles(tool)) return;
      if (!(await isSavedInTime())) goWithout();
      if (isOver || !isBegun) return;
      step.hasRun = true;
      (await undo)?.undo.callsBegin();
    },
    ended(calls) {
      if (step.hasRun && !isOver) save("after", calls);
      step = {};
    },
    async settled() {
      if (isOver || isLate) return;
      await saving;
      const opened = await undo?.catch(() => undefined);
      await opened?.undo.prune().catch(() => undefined);
    },
  };
}

function whyNotSaved(error: Error & { readonly code?: string }): string {
  const { code, message } = error;
  const why = isSystemError(error) ? asSentence(systemMessage(error)) : message;
  const more = code === "too_many_files" ? ` ${howToWait}` : "";
  return `In this session, /rewind and ikigai undo cannot restore what commands change. ${why}${more}`;
}

/** Whether calls of a tool may change files of the project: all but those of shipped tools that only read. */
export function mayChangeFiles({ scope, schema, launcher }: RegisteredTool): boolean {
  return launcher === undefined && !(scope === "system" && schema.annotations?.readOnlyHint === true);
}
