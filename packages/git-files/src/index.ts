// Undo for a project, whatever ran there: take snapshots (`openUndo`, `openJointUndo`), plan what goes back, apply it. What git ignores and
// worktrees are entries of their own.

export { GitFailure, userExcludes } from "./git.ts";
export { type AddedDirectories, openJointUndo } from "./joint-undo.ts";
export { applyUndo, planUndo, type UndoPlan } from "./plan.ts";
export {
  type FileChange,
  type FileState,
  maxFileBytes,
  type Snapshot,
  type SnapshotNote,
} from "./snapshot.ts";
export { openUndo, sessionsIn, type Undo, type UndoBeside, type UndoOptions } from "./undo.ts";
