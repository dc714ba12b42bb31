// The undo of a session with more than one directory: the project, and those that the user has added.
//
// Each directory has a shadow of its own, which other sessions there share. The project's has the order: its snapshots name those that were
// taken with them, so that a plan sees one history. Names are relative to the project's root, also of files elsewhere: `../other/a.ts`.
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { isInside, realPathOf } from "@ikigai/system";
import type { FileChange, Snapshot, SnapshotNote } from "./snapshot.ts";
import { openUndo, type Undo, type UndoBeside, type UndoOptions } from "./undo.ts";

/** The directories of a session beside the project. */
export interface AddedDirectories {
  /** Returns them as they are now: real paths. */
  current(): readonly string[];
  /** Returns the directory of the shadow of one. */
  storeOf(directory: string): string;
}

/** A directory beside the project, and its undo. */
interface Beside {
  readonly directory: string;
  readonly undo: Undo;
}

/**
 * Opens the undo of a session with these directories, and those that its snapshots name.
 *
 * @throws as `openUndo` does.
 */
export async function openJointUndo(options: UndoOptions, added: AddedDirectories): Promise<Undo> {
  const project = realPathOf(options.projectDir);
  const opened = new Map<string, Promise<Beside>>();
  const seen = new Map<string, Snapshot>();
  const see = (snapshot: Snapshot) => {
    seen.set(snapshot.id, snapshot);
    return snapshot;
  };
  const directories = () => outermost([...added.current(), ...[...seen.values()].flatMap(directoriesOf)]);
  const open = (directory: string) => {
    const one = opened.get(directory) ?? openBeside(options, directory, added.storeOf(directory));
    opened.set(directory, one);
    return one;
  };
  const beside: UndoBeside = {
    async take(note, how) {
      const taken = directories().map(async (directory) => {
        const one = await open(directory);
        const also = (how.also ?? []).flatMap((name) => names.own(name, one) ?? []);
        return [directory, (await one.undo.take(note, { ...how, also })).id] as const;
      });
      return Object.fromEntries(await Promise.all(taken));
    },
    has: (name) => directories().some((directory) => names.isIn(name, directory)),
  };
  const main = await openUndo({ ...options, beside });
  const names = jointNames(main.root, project);
  /** What of the other directories belongs to two snapshots. A directory that was added between them has no earlier state. */
  const pairs = (from: string, to: string) => {
    const [before = {}, after = {}] = [from, to].map((id) => seen.get(id)?.beside);
    return Promise.all(
      Object.entries(before).flatMap(([directory, first]) => {
        const last = after[directory];
        return last === undefined ? [] : open(directory).then((one) => ({ ...one, from: first, to: last }));
      }),
    );
  };
  const all = async () => [main, ...(await Promise.all(opened.values())).map(({ undo }) => undo)];
  return {
    ...main,
    take: async (note, how) => see(await main.take(note, how)),
    async prepare(signal) {
      await Promise.all(directories().map(open));
      await Promise.all((await all()).map((undo) => undo.prepare(signal)));
    },
    list: async () => (await main.list()).map(see),
    async changes(from, to) {
      const others = (await pairs(from, to)).map(async (one) => {
        const changed = await one.undo.changes(one.from, one.to);
        const joint = changed.map((change) => ({ ...change, name: names.joint(change.name, one) }));
        return joint.filter(({ name }) => names.isIn(name, one.directory));
      });
      return (await Promise.all([main.changes(from, to), ...others])).flat();
    },
    async diff(from, to) {
      const others = (await pairs(from, to)).map((one) =>
        one.undo.diff(one.from, one.to, `${relative(main.root, one.undo.root) || "."}/`),
      );
      return (await Promise.all([main.diff(from, to), ...others])).join("");
    },
    async sizes(objects) {
      const maps = await Promise.all((await all()).map((undo) => undo.sizes(objects)));
      return new Map(maps.flatMap((map) => [...map].filter(([, size]) => Number.isFinite(size))));
    },
    async restore(to, changes, note) {
      const others = Object.entries(seen.get(to)?.beside ?? {}).map(async ([directory, id]) => {
        const one = await open(directory);
        return { undo: one.undo, id, own: changes.flatMap((change) => names.ownChange(change, one) ?? []) };
      });
      const mine = { undo: main, id: to, own: changes.filter(({ name }) => !beside.has(name)) };
      return see(await restoreAll(mine, await Promise.all(others), note));
    },
    async prune(now) {
      await Promise.all((await all()).map((undo) => undo.prune(now)));
    },
  };
}

async function openBeside(options: UndoOptions, directory: string, store: string): Promise<Beside> {
  return { directory, undo: await openUndo({ ...options, projectDir: directory, store }) };
}

interface Restoring {
  readonly undo: Undo;
  readonly id: string;
  readonly own: readonly FileChange[];
}

/** Restores all or none. First the project: its snapshot names those of the others as they are before. */
async function restoreAll(mine: Restoring, others: readonly Restoring[], note: SnapshotNote): Promise<Snapshot> {
  const done: (() => Promise<unknown>)[] = [];
  const restore = async ({ undo, id, own }: Restoring) => {
    const saved = await undo.restore(id, own, note);
    done.unshift(() => undo.restore(saved.id, own.map(reversed), note));
    return saved;
  };
  const saved = await restore(mine);
  try {
    for (const one of others.filter(({ own }) => own.length > 0)) await restore(one);
  } catch (error) {
    for (const back of done) await back();
    throw error;
  }
  return saved;
}

function directoriesOf({ beside = {} }: Snapshot): string[] {
  return Object.keys(beside);
}

/** Those that are there, and in no other one. */
function outermost(directories: readonly string[]): string[] {
  const there = [...new Set(directories)].filter((one) => existsSync(one));
  return there.filter((one) => !there.some((other) => other !== one && isInside(one, other)));
}

function reversed({ name, from, to }: FileChange): FileChange {
  return { name, from: to, to: from };
}

/** Names of files, one character a byte, relative to the project's root. @param project the part of it that is saved. */
function jointNames(root: string, project: string) {
  const isIn = (name: string, directory: string) => {
    const path = join(bytes(root), name);
    return isInside(path, bytes(directory)) && !isInside(path, bytes(project));
  };
  const own = (name: string, { directory, undo }: Beside) =>
    isIn(name, directory) ? relative(bytes(undo.root), join(bytes(root), name)) : undefined;
  return {
    /** Whether a file belongs to a directory beside the project. */
    isIn,
    own,
    joint: (name: string, { undo }: Beside) => relative(bytes(root), join(bytes(undo.root), name)),
    ownChange({ name, ...states }: FileChange, one: Beside): FileChange | undefined {
      const known = own(name, one);
      return known === undefined ? undefined : { name: known, ...states };
    },
  };
}

function bytes(path: string): string {
  return Buffer.from(path, "utf8").toString("latin1");
}
