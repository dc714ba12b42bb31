// Fetches a commit with the user's git.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isatty } from "node:tty";
import { makeDirectories, withoutPassword } from "@ikigai/system";
import { Refusal } from "./refusal.ts";
import { gitEnvironment, runUserProgram, withoutSecretTexts } from "./user-programs.ts";

/** Settings that keep git from running anything from a repository or a template. */
const careful = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "maintenance.auto=false",
  "gc.auto=0",
  "advice.detachedHead=false",
].flatMap((setting) => ["-c", setting]);

/** Overrides the tree's .gitattributes: every file is checked out as committed, and no filter runs. */
const attributes = "* -filter -text -eol -ident -working-tree-encoding\n";

/**
 * Checks out a commit into a folder with the user's git, without its history. Returns the commit's id.
 *
 * @throws Refusal if git fails.
 */
export async function fetchGit(
  { url, ref }: { readonly url: string; readonly ref?: string },
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const git = (...args: string[]) => runUserProgram("git", [...careful, ...args], { cwd: folder, env: quiet(env) });
  const refuse = (end: { readonly stderr: string }) => new Refusal(withoutSecretTexts(explain(url, ref, end), env));
  const must = async (...args: string[]) => {
    const end = await git(...args);
    if (end.exitCode !== 0) throw refuse(end);
    return end.stdout.trim();
  };
  await must("init", "--quiet", "--template=");
  makeDirectories(join(folder, ".git/info"));
  writeFileSync(join(folder, ".git/info/attributes"), attributes);
  const alone = await git("fetch", "--quiet", "--depth=1", "--no-tags", "--", url, ref ?? "HEAD");
  if (alone.exitCode === 0) await must("checkout", "--quiet", "--detach", "FETCH_HEAD");
  else {
    // Many servers serve a commit only as part of a history.
    if (!/^[0-9a-f]{7,64}$/.test(ref ?? "")) throw refuse(alone);
    await must("fetch", "--quiet", "--tags", "--", url, "+refs/heads/*:refs/remotes/origin/*");
    await must("checkout", "--quiet", "--detach", `${ref}^{commit}`);
  }
  const commit = await must("rev-parse", "HEAD");
  rmSync(join(folder, ".git"), { recursive: true, force: true });
  return commit;
}

/** Disables password prompts where there is no terminal. */
function quiet(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const clean = gitEnvironment(env);
  if (isatty(0) && isatty(2)) return clean;
  return { GIT_SSH_COMMAND: "ssh -oBatchMode=yes", ...clean, GIT_TERMINAL_PROMPT: "0" };
}

function explain(url: string, ref: string | undefined, { stderr }: { readonly stderr: string }): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  // ssh's reason comes first; git adds only that it could not read.
  const told = lines.filter((line) => !/^fatal: Could not read from remote repository/.test(line));
  const reason = told.find((line) => /^(fatal|error|ERROR):/.test(line)) ?? told[0] ?? "it gives no reason";
  const what = `${withoutPassword(url)}${ref === undefined ? "" : ` at ${ref}`}`;
  return `git could not fetch ${what}: ${reason.replace(/^(fatal|error|ERROR): |\.?\s*$/g, "")}. Try it by hand: git ls-remote ${withoutPassword(url)}`;
}
