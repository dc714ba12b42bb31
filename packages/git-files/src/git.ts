// Runs git without what the project's configuration would run.

import { execFile, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { join } from "node:path";

/** Why undo cannot do what it should. */
export class GitFailure extends Error {
  override readonly name = "GitFailure";
  /** `busy`: another process saves or restores the same session's files. */
  readonly code: "git_failed" | "too_many_files" | "too_late" | "changed_meanwhile" | "in_the_way" | "busy";

  constructor(code: GitFailure["code"], message: string) {
    super(message);
    this.code = code;
  }
}

export interface GitCall {
  /** What git reads from stdin; one character is one byte. */
  readonly input?: string;
  /** Its index, if not the repository's. */
  readonly index?: string;
  /** The directory of the files; also its working directory. */
  readonly workTree?: string;
  /** Whether exit code 1 is an answer: no. */
  readonly isQuestion?: boolean;
  /** Whether only this user may read the files that it makes; the store is private as a whole. */
  readonly isPrivate?: boolean;
  /** Another repository, which is only read. */
  readonly gitDir?: string;
}

/** Runs git in the shadow repository. */
export interface Git {
  /** What git prints; one character is one byte, since names of files are bytes. @throws GitFailure `git_failed`. */
  text(args: readonly string[], call?: GitCall): Promise<string>;
  /** Whether something is so, which git answers with its exit code. @throws GitFailure `git_failed`. */
  holds(args: readonly string[]): Promise<boolean>;
}

/** Neither the project nor the user decides what git does or runs, not even in a repository that it only reads. */
const ownSettings = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false", "diff.external="];

/**
 * @param program the path of git.
 * @param store the shadow repository.
 * @param background if set, it yields to other programs, and ends when aborted.
 */
export function gitRunner(program: string, store: string, background?: AbortSignal): Git {
  const run = (args: readonly string[], call: GitCall = {}, isAgain = false) =>
    new Promise<{ readonly code: number; readonly out: string }>((resolve, reject) => {
      const { input, index, workTree, isQuestion, isPrivate, gitDir = store } = call;
      const settings = ownSettings.flatMap((setting) => ["-c", setting]);
      const all = [...settings, ...args];
      // Files that are restored are private until they get their own permission bits.
      const words = isPrivate ? ["/bin/sh", "-c", 'umask 077; exec "$0" "$@"', program, ...all] : [program, ...all];
      const child = spawn(words[0] ?? "", words.slice(1), {
        cwd: workTree ?? "/",
        stdio: ["pipe", "pipe", "pipe"],
        // Ctrl-C ends the calls, not the saving of what they did.
        detached: true,
        signal: background,
        env: {
          PATH: "/usr/bin:/bin",
          LC_ALL: "C",
          GIT_CONFIG_NOSYSTEM: "1",
          GIT_CONFIG_GLOBAL: "/dev/null",
          GIT_ATTR_NOSYSTEM: "1",
          GIT_TERMINAL_PROMPT: "0",
          // A repository that is only read may name a remote with the objects that it lacks, and programs to connect with.
          GIT_ALLOW_PROTOCOL: "none",
          GIT_DIR: gitDir,
          ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
          ...(index !== undefined && { GIT_INDEX_FILE: index }),
        },
      });
      if (background && child.pid !== undefined) yieldToOthers(child.pid);
      let pipe = "";
      const slow = setTimeout(async () => {
        pipe = await pipeGitReads([workTree, gitDir].flatMap((place) => (place === store ? [] : (place ?? []))));
        if (pipe !== "") child.kill("SIGKILL");
      }, slowMs);
      const out: Buffer[] = [];
      const errors: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
      // A git that ends early does not read the rest; its exit code tells.
      child.stdin.on("error", () => undefined);
      child.on("error", (error) => reject(new GitFailure("git_failed", `git cannot be started: ${error.message}`)));
      child.on("close", (code, signal) => {
        clearTimeout(slow);
        if (code === 0 || (isQuestion && code === 1))
          return resolve({ code, out: Buffer.concat(out).toString("latin1") });
        // Ctrl-C came before the child had left the terminal's process group.
        if (signal === "SIGINT" && !isAgain) return resolve(run(args, call, true));
        if (pipe !== "")
          return reject(new GitFailure("git_failed", `git waits for the named pipe ${pipe}; remove it.`));
        const reason = Buffer.concat(errors).toString("utf8").trim();
        reject(new GitFailure("git_failed", `git: ${reason.slice(0, 1_000) || `ended with ${signal ?? code}`}`));
      });
      child.stdin.end(Buffer.from(input ?? "", "latin1"));
    });
  return {
    text: async (args, call) => (await run(args, call)).out,
    holds: async (args) => (await run(args, { isQuestion: true })).code === 0,
  };
}

/** How long git may take before it is looked at whether it waits for a file that will never end, in milliseconds. */
const slowMs = 3_000;

/** Returns a named pipe in place of a file that git opens by its name, which it waits for; empty without one. */
function pipeGitReads(places: readonly string[]): Promise<string> {
  const read = ["(", "-name", ".gitignore", "-o", "-name", ".gitattributes", "-o", "-path", "*/.git/*", ")"];
  const args = [...places, "-type", "p", ...read, "-print", "-quit"];
  if (places.length === 0) return Promise.resolve("");
  return new Promise((resolve) => {
    // What it found before an error counts: some directories cannot be read.
    execFile("find", args, { cwd: "/", env: { PATH: "/usr/bin:/bin" } }, (_, printed) => resolve(printed.trimEnd()));
  });
}

function yieldToOthers(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended.
  }
}

/** Asks git for the user's own list of ignored files, `core.excludesFile`; its usual place if none is set. */
export function userExcludes(program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { HOME, XDG_CONFIG_HOME } = env;
  if (!HOME) return Promise.resolve(undefined);
  const usual = join(XDG_CONFIG_HOME || join(HOME, ".config"), "git/ignore");
  const args = ["config", "--global", "--type=path", "core.excludesFile"];
  const own = { PATH: "/usr/bin:/bin", HOME, ...(XDG_CONFIG_HOME && { XDG_CONFIG_HOME }) };
  return new Promise((resolve) => {
    execFile(program, args, { cwd: "/", env: own, encoding: "utf8" }, (error, printed) =>
      resolve(error === null ? printed.trimEnd() : usual),
    );
  });
}

/** Splits what git prints with `-z`. */
export function fields(text: string): string[] {
  const all = text.split("\0");
  if (all.at(-1) === "") all.pop();
  return all;
}
