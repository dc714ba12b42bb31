// The snapshots of a conversation: one before each step with calls that may change files, taken while the model writes the first of
// them, and one after it, taken while the model thinks. What changes between steps is the user's doing. The first one takes longest, so
// the files are read as soon as the model has a message to think about.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RegisteredTool } from "@ikigai/core";
import type { Undo, UndoPlan } from "@ikigai/git-files";
import { asSentence, isSystemError, systemMessage } from "@ikigai/models";
import type { Confirm, YesOrNo } from "@ikigai/permission";
import { findProgram, hereDirectory, unlessAborted } from "@ikigai/system";
import { AgentError } from "../errors.ts";

/** What undo needs to know of a project and its user. */
interface UndoPlace {
  readonly projectDir: string;
  /** Returns the directories that count as the project, too: real paths. */
  readonly added?: () => readonly string[];
  /** The user's `.ikigai`. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether to save any number of files, however long that takes. */
  readonly isUnlimited?: boolean;
}

/** How long a call waits for the files to be saved before the user is asked, in milliseconds. */
const maxWaitMs = 2_000;

/** How long sending a request takes, in milliseconds: git must not take the processor then. */
const sendingMs = 20;

/**
 * Opens the undo of a session in this project; without an ID, of the last one whose calls changed files.
 *
 * @throws AgentError `undo_unavailable` without git, or without a snapshot; `undo_failed`.
 */
export async function openProjectUndo(place: UndoPlace, session?: string): Promise<ProjectUndo> {
  const { projectDir, added, home, env, isUnlimited } = place;
  const git = findProgram("git", env.PATH, projectDir);
  if (git === undefined) throw new AgentError("undo_unavailable", "Undo needs git, which is not on your PATH.");
  const { applyUndo, openJointUndo, planUndo, sessionsIn, userExcludes } = await import("@ikigai/git-files");
  const storeOf = (directory: string) => join(hereDirectory({ home, projectDir: directory }), "undo.git");
  const store = storeOf(projectDir);
  const open = async (id: string): Promise<ProjectUndo> => {
    const excludes = await userExcludes(git, env);
    const limits = isUnlimited && { maxFiles: Number.POSITIVE_INFINITY };
    const options = { projectDir, store, git, session: id, excludes, ...limits };
    const undo = await openJointUndo(options, { current: () => added?.() ?? [], storeOf });
    return {
      session: id,
      undo,
      plan: (since) => inWords(() => planUndo(undo, since)),
      apply: (plan) => inWords(() => applyUndo(undo, plan)),
    };
  };
  return inWords(async () => {
    if (session !== undefined) return open(session);
    for (const id of await sessionsIn(store, git)) {
      const opened = await open(id);
      if ((await opened.undo.list()).some(({ kind }) => kind === "after" || kind === "undone")) return opened;
    }
    throw new AgentError("undo_unavailable", "Nothing to undo in this directory.");
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

/**
 * Saves the files of a project around what one session's calls do. Nothing here rejects: where the files cannot be
 * saved, the user is asked or told. Opens nothing before the first request whose answer may change files.
 */
export class TurnUndo {
  #place: UndoPlace;
  readonly #session: string;
  #undo: Promise<ProjectUndo> | undefined;
  #turn: { readonly at: number; readonly text: string; readonly tell: (text: string) => void } | undefined;
  /** Whether the turn has the snapshot that an undo returns to. */
  #isBegun = false;
  /** The snapshot before the step's calls, and whether they have run. */
  #step: { before?: { readonly kind: "before" | "now"; readonly late: AbortController }; hasRun?: boolean } = {};
  #saving: Promise<unknown> = Promise.resolve();
  /** Reading the files ahead; ended with the process. */
  #preparing: AbortController | undefined;
  #hasSnapshots = false;
  #isTooLarge = false;
  #isOver = false;
  /** Why the last snapshot before a call has failed, until the user has decided. */
  #missed: string | undefined;
  #hasToldMissed = false;
  #decision: Promise<void> | undefined;

  constructor(place: UndoPlace, session: string) {
    this.#place = place;
    this.#session = session;
  }

  /** The calls that follow belong to this message. @param tell tells the user something, one sentence. */
  begin(text: string, tell: (text: string) => void): void {
    this.#turn = { at: Date.now(), text, tell };
    this.#isBegun = false;
  }

  /** A request goes out whose answer may change files: reads them, so that the first snapshot is fast. */
  asked(): void {
    if (this.#preparing || this.#hasSnapshots) return;
    this.#preparing = new AbortController();
    const { signal } = this.#preparing;
    // If it fails, so does the snapshot, which tells the user.
    const prepare = () =>
      this.#hasSnapshots ||
      this.#inTurn(
        (undo) => undo.prepare(signal),
        () => {},
      );
    setTimeout(prepare, sendingMs).unref();
  }

  /** A call of this tool is coming: starts the snapshot before the step's first change. */
  expect(tool: RegisteredTool): void {
    if (this.#step.before || this.#isOver || !this.#turn || !mayChangeFiles(tool)) return;
    this.#step = { before: { kind: this.#isBegun ? "now" : "before", late: new AbortController() } };
    this.#isBegun = true;
    this.#saveBefore();
  }

  /** Resolves when the files are saved as they are before a call. Asks once whether to wait longer; does not wait without `confirm`. */
  async ready(tool: RegisteredTool, confirm: Confirm | undefined, signal: AbortSignal): Promise<void> {
    if (this.#isOver || !mayChangeFiles(tool)) return;
    this.expect(tool);
    while (!signal.aborted && !this.#isOver && !(await unlessAborted(this.#isSaved(), signal))) {
      this.#decision ??= this.#decide(confirm, signal).finally(() => {
        this.#decision = undefined;
      });
      await this.#decision;
    }
    if (this.#isOver || signal.aborted) return;
    this.#step.hasRun = true;
    (await this.#undo)?.undo.callsBegin();
  }

  /** The calls of a step have ended. */
  ended(calls: string): void {
    const { at = 0 } = this.#turn ?? {};
    if (this.#step.hasRun && !this.#isOver) this.#inTurn((undo) => undo.take({ turn: at, kind: "after", text: calls }));
    this.#step = {};
  }

  /** Resolves when everything is saved. */
  async settled(): Promise<void> {
    if (!this.#hasSnapshots) this.#preparing?.abort();
    if (this.#isOver) return;
    await this.#saving;
    if (!this.#hasSnapshots) return;
    const opened = await this.#undo?.catch(() => undefined);
    await opened?.undo.prune().catch(() => undefined);
  }

  #saveBefore(): void {
    const { at = 0, text = "" } = this.#turn ?? {};
    const { before } = this.#step;
    if (!before) return;
    this.#hasSnapshots = true;
    this.#missed = undefined;
    this.#inTurn(async (undo) => {
      const take = () => undo.take({ turn: at, kind: before.kind, text }, { signal: before.late.signal });
      // A directory may have been moved meanwhile.
      await take().catch((error) => (error.code === "git_failed" ? take() : Promise.reject(error)));
    });
  }

  #inTurn(
    work: (undo: Undo) => Promise<unknown>,
    failed = (error: Error & { code?: string }) => this.#failed(error),
  ): void {
    this.#undo ??= openProjectUndo(this.#place, this.#session);
    const opened = this.#undo;
    this.#saving = this.#saving
      .then(async () => this.#isOver || this.#isTooLarge || (await work((await opened).undo)))
      .catch(failed);
  }

  #failed(error: Error & { readonly code?: string }): void {
    if (error.code === "too_many_files") this.#isTooLarge = true;
    else if (error.code === "git_failed") this.#miss(`The files could not be saved: ${error.message}`);
    else if (error.code !== "too_late") this.#giveUp(whyNotSaved(error));
  }

  #miss(why: string): void {
    this.#missed = why;
    if (!this.#hasToldMissed) this.#turn?.tell(`What calls change now may not be undone. ${why}`);
    this.#hasToldMissed = true;
  }

  /** Whether the files are saved within `maxWaitMs`; if the user waits, sooner or later. */
  #isSaved(): Promise<boolean> {
    const saved = this.#saving.then(() => !this.#isTooLarge && this.#missed === undefined);
    return this.#place.isUnlimited ? saved : Promise.race([saved, sleep(maxWaitMs, false, { ref: false })]);
  }

  async #decide(confirm: Confirm | undefined, signal: AbortSignal): Promise<void> {
    const missed = this.#missed;
    // The user has been told, and the next snapshot may succeed.
    if (missed !== undefined && !confirm) {
      this.#missed = undefined;
      return;
    }
    const why = missed ?? (this.#isTooLarge ? tooLarge : tooSlow);
    const isDecided = this.#place.isUnlimited && missed === undefined;
    // Without an answer it waits: so nothing is lost.
    const isWanted = isDecided || (confirm ? await confirm({ ...waiting, why }, signal) : false);
    if (isWanted === false) {
      this.#step.before?.late.abort();
      return this.#giveUp(missed ?? `${why} ${howToWait}`);
    }
    if (signal.aborted) return;
    if (missed !== undefined) return this.#saveBefore();
    this.#place = { ...this.#place, isUnlimited: true };
    if (!this.#isTooLarge) return;
    this.#isTooLarge = false;
    this.#undo = undefined;
    this.#saveBefore();
  }

  #giveUp(why: string): void {
    if (!this.#isOver)
      this.#turn?.tell(`In this session, /rewind and ikigai undo cannot restore what commands change. ${why}`);
    this.#isOver = true;
  }
}

const tooSlow = `Saving the project's files takes longer than ${maxWaitMs / 1_000} s.`;
const tooLarge = "The project has more than 200,000 files that git does not ignore.";
const howToWait = "To wait for it: ikigai config set undo true";

const waiting: Omit<YesOrNo, "why"> = {
  question: "Wait until calls can be undone?",
  yes: "Wait",
  no: "Continue without undo in this session",
  asker: "Undo",
  isSafe: true,
};

function whyNotSaved(error: Error): string {
  return isSystemError(error) ? asSentence(systemMessage(error)) : error.message;
}

/** Whether calls of a tool may change files of the project: all but those of shipped tools that only read. */
export function mayChangeFiles({ scope, schema, launcher }: RegisteredTool): boolean {
  return launcher === undefined && !(scope === "system" && schema.annotations?.readOnlyHint === true);
}
