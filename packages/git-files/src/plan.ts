// What an undo would change: what ikigai's calls did since a snapshot, without what the user did.
import { type FileChange, type Snapshot, unfinished } from "./snapshot.ts";
import type { Undo } from "./undo.ts";

/** What going back to a snapshot would change. */
export interface UndoPlan {
  /** The snapshot to go back to. */
  readonly to: Snapshot;
  /** The files that get back their old state, or are removed. */
  readonly changes: readonly FileChange[];
  /** The files that the user has changed since calls did, or since ikigai was killed: they stay as they are. */
  readonly stays: readonly FileChange[];
  /** Whether calls are running: what the user has changed since they began counts as theirs. */
  readonly isMixed: boolean;
}

/**
 * Plans to undo what calls have changed since a moment; without one, since the last turn that changed files, or the last undo.
 *
 * @param since in milliseconds: the time of the message from whose turn on everything is undone.
 * @returns `undefined` if there is nothing to go back to.
 * @throws GitFailure as `Undo.take` does: it looks at the files as they are now.
 */
export async function planUndo(undo: Undo, since?: number): Promise<UndoPlan | undefined> {
  const snapshots = await undo.list();
  const start = startOf(snapshots, since);
  const to = snapshots[start];
  if (to === undefined) return undefined;
  const changedIn = async (from: Snapshot, { id }: Snapshot) =>
    from.id === id ? [] : (await undo.changes(from.id, id)).map(({ name }) => name);
  const [byCalls, byUser] = [new Set<string>(), new Set<string>()];
  let from = to;
  for (const [at, step] of snapshots.entries()) {
    const next = snapshots[at + 1];
    // Of consecutive steps of the same author, the last one.
    if (at <= start || (next && isOfCalls(next) === isOfCalls(step))) continue;
    for (const name of await changedIn(from, step)) {
      if (!isOfCalls(step)) byUser.add(name);
      // The calls may have changed it before, too: no one saw the files when ikigai was killed.
      if (isOfCalls(step) || wasKilled(from)) byCalls.add(name);
    }
    from = step;
  }
  const now = await undo.take({ turn: to.turn, kind: "now", text: "" }, { also: [...byCalls] });
  for (const name of await changedIn(from, now)) {
    byUser.add(name);
    if (wasKilled(from)) byCalls.add(name);
  }
  const ofCalls = (await undo.changes(now.id, to.id)).filter(({ name }) => byCalls.has(name));
  const [stays, changes] = [true, false].map((is) => ofCalls.filter(({ name }) => byUser.has(name) === is));
  const isMixed = snapshots.at(-1)?.text === unfinished.running;
  return { to, changes: changes ?? [], stays: stays ?? [], isMixed };
}

/** Whether what changed up to a snapshot is ikigai's doing. */
function isOfCalls({ kind }: Snapshot): boolean {
  return kind === "after" || kind === "undone";
}

function wasKilled({ kind, text }: Snapshot): boolean {
  return kind === "after" && text === unfinished.killed;
}

function startOf(snapshots: readonly Snapshot[], since: number | undefined): number {
  if (since !== undefined) return snapshots.findIndex(({ kind, turn }) => kind === "before" && turn >= since);
  const last = snapshots.findLastIndex(isOfCalls);
  // The state before the last undo, so that a second one takes it back.
  const start = snapshots[last]?.kind === "undone" ? "undo" : "before";
  return snapshots.slice(0, Math.max(last, 0)).findLastIndex(({ kind }) => kind === start);
}

/**
 * Carries out a plan.
 *
 * @throws GitFailure as `Undo.restore` does. Nothing is changed then.
 */
export async function applyUndo(undo: Undo, { to, changes }: UndoPlan): Promise<void> {
  const { turn } = to;
  await undo.restore(to.id, changes, { turn, kind: "undo", text: "the last undo" });
  await undo.take({ turn, kind: "undone", text: "" });
}
