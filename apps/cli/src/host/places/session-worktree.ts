// The worktree of a session, `--worktree NAME`: made or found before anything else, so that all of the session is about it. At the end the
// user says what becomes of it: merged, kept or removed. Without a user it is kept.

import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import {
  makeWorktree,
  mergeWorktree,
  namedPlace,
  openWorktree,
  removeWorktree,
  type Worktree,
  WorktreeError,
  workIn,
} from "@ikigai/git-files/worktree";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { shellWord } from "@ikigai/system";
import type { SessionFlags } from "../../args/parse-argv.ts";
import { UsageError } from "../../args/usage-error.ts";
import { askForChoice, canAsk } from "../terminal/ask-person.ts";
import { printError } from "../terminal/stdout.ts";

/** A worktree that this process works in. */
export interface SessionWorktree {
  /** The flags of the session, with paths that mean the same there. */
  readonly flags: SessionFlags;
  /** Says what becomes of it; asks if it has changes and `asks`. Call it once nothing works there. Never rejects for a failure of git. */
  leave(asks: boolean): Promise<void>;
}

/**
 * Makes the worktree that the flags name, or continues in it, and makes it the working directory.
 *
 * @throws UsageError if there can be none.
 */
export async function enterWorktree(flags: SessionFlags): Promise<SessionWorktree> {
  const project = process.cwd();
  const env = { ...process.env, IKIGAI_PROJECT_DIR: project };
  const name =
    flags.worktree ||
    new Date()
      .toISOString()
      .slice(0, 19)
      .replace(/\D/g, "")
      .replace(/^(\d{8})/, "$1-");
  try {
    const place = await namedPlace(env, project, name);
    const worktree = await (existsSync(place.path) ? openWorktree : makeWorktree)(env, project, place);
    process.chdir(worktree.directory);
    return { flags: movedFlags(flags, project), leave: (asks) => leave({ env, project, worktree }, asks) };
  } catch (error) {
    if (error instanceof WorktreeError) throw new UsageError(`No worktree can be made here: ${error.message}.`);
    throw error;
  }
}

/** Relative paths of the command line are relative to where the user typed it. */
function movedFlags(flags: SessionFlags, project: string): SessionFlags {
  const moved = (path: string) => (isAbsolute(path) || /^~(?:\/|$)/.test(path) ? path : resolve(project, path));
  const { directories, serverFiles, schemaFile } = flags;
  return {
    ...flags,
    ...(directories && { directories: directories.map(moved) }),
    ...(serverFiles && { serverFiles: serverFiles.map(moved) }),
    ...(schemaFile !== undefined && { schemaFile: moved(schemaFile) }),
  };
}

interface Left {
  readonly env: NodeJS.ProcessEnv;
  readonly project: string;
  readonly worktree: Worktree;
}

async function leave(left: Left, asks: boolean): Promise<void> {
  const { env, project, worktree } = left;
  const say = (text: string) => printError(`${sanitise(text)}\n`);
  // It may be removed.
  process.chdir(project);
  try {
    const { changes, commits } = await workIn(env, project, worktree);
    const open = changes.filter((change) => !change.startsWith("!! ")).length;
    const work = [
      ...(commits > 0 ? [counted(commits, "commit")] : []),
      ...(open > 0 ? [counted(open, "changed file")] : []),
    ];
    if (asks && work.length === 0 && changes.length === 0) {
      await removeWorktree(env, project, worktree);
      return say(`Removed the worktree ${worktree.branch}: nothing has changed in it.`);
    }
    const answer =
      asks && canAsk() ? await ask(`${worktree.branch} has ${work.join(" and ") || "ignored files"}.`) : "keep";
    if (answer === "keep") return say(keptText(left));
    if (answer === "merge") {
      await mergeWorktree(env, project, worktree, `Work of ${worktree.branch}`);
      return say(`Merged ${worktree.branch} and removed the worktree. To take it back: git reset --keep ORIG_HEAD`);
    }
    await removeWorktree(env, project, worktree);
    say(`Removed the worktree and the branch ${worktree.branch}.`);
  } catch (error) {
    if (!(error instanceof WorktreeError)) throw error;
    say(`git: ${error.message}.\n${keptText(left)}`);
  }
}

const answers = { m: "merge", k: "keep", r: "remove" } as const;

/** Asks until the answer is clear. Enter keeps it. */
async function ask(what: string): Promise<(typeof answers)[keyof typeof answers]> {
  printError(
    `${sanitiseLine(what)}\n  m  commit what is open, merge it here, and remove the worktree\n  k  keep it\n  r  remove it with all changes\n`,
  );
  for (;;) {
    const answer = (await askForChoice("What now? [k] ", "The worktree is kept."))?.toLowerCase() || "k";
    const found = Object.entries(answers).find(([letter, word]) => answer === letter || answer === word);
    if (found) return found[1];
    printError("Type m, k or r.\n");
  }
}

function keptText({ project, worktree: { path, branch } }: Left): string {
  const name = branch.slice(branch.indexOf("/") + 1);
  return `The worktree is kept: ${shellWord(path)}, on the branch ${branch}.\nTo continue in it: cd ${shellWord(project)} && ikigai --worktree ${name} --continue`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
