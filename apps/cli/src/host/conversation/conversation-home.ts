// Directories that exist only while a conversation is open, and the removal of those whose process was killed.

import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Lock, makePrivateDirectory, namesIn, realPathOf } from "@ikigai/system";

/** A directory that exists as long as a conversation is open. Only the user can read it. */
export interface ConversationHome {
  /** Without links. */
  readonly path: string;
  /** Removes what is in it. */
  empty(): void;
  /** Removes it. */
  remove(): void;
}

/** How often the lock is refreshed, in milliseconds: a conversation is open for hours. */
const refreshMs = 10_000;

/**
 * Creates a directory for a conversation. A lock beside it says that its process is running.
 *
 * @throws the system's error.
 */
export function openConversationHome(parent: string, name: string = randomUUID()): ConversationHome {
  const path = join(parent, name);
  makePrivateDirectory(parent);
  // First, so that no other process takes it for one that was left.
  const lock = lockOf(path);
  lock.tryTake();
  makePrivateDirectory(path);
  return {
    path: realPathOf(path),
    empty() {
      for (const name of namesIn(path)) removeTree(join(path, name));
    },
    remove() {
      removeTree(path);
      lock.release();
    },
  };
}

/** Removes the directories of conversations whose processes were killed. */
export function removeLeftHomes(parent: string): void {
  const names = namesIn(parent).map((name) => name.replace(/\.lock~?$/, ""));
  for (const name of new Set(names)) {
    const path = join(parent, name);
    const lock = lockOf(path);
    try {
      if (lock.tryTake()) removeTree(path);
    } catch {
      // Something else is in the lock's place: `ikigai doctor` shows what is left.
    } finally {
      lock.release();
    }
  }
}

function lockOf(path: string): Lock {
  return new Lock(`${path}.lock`, { refreshMs });
}

function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The next start tries again.
  }
}
