import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { isatty } from "node:tty";
import { childStdio, isSecretVariable, pathOutsideProject, providerKeyNames } from "@ikigai/core/internal";
import { beforeExit, redact, withoutPassword } from "@ikigai/system";
import { Refusal } from "./refusal.ts";

/** How a program ended. */
export interface ProgramEnd {
  /** Also when a signal ended it, then 128. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How much of each stream is kept, in characters; what a registry or git says of a failure is far less. */
const maxKeptLength = 1_048_576;

/**
 * Runs one of the user's own programs (npm, git, go) to its end: never one that the project calls so. It ends with us.
 *
 * @throws Refusal when it is not installed.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ProgramEnd> {
  // Where somebody may be asked for a password it shares their terminal, and so their Ctrl-C; elsewhere it has a group.
  const detached = !(isatty(0) && isatty(2));
  // An empty one would mean the directory that it works in.
  const own = { ...env, PATH: pathOutsideProject(env.PATH ?? "", process.cwd()) || "/" };
  const child = spawn(program, args, { cwd, env: own, stdio: childStdio("ignore", "pipe", "pipe"), detached });
  const leave = beforeExit(() => stop(child, detached));
  const kept = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      if (kept[name].length < maxKeptLength) kept[name] += text;
    });
  }
  try {
    const exitCode = await new Promise<number>((settle, fail) => {
      child.once("error", fail);
      child.once("close", (code) => settle(code ?? 128));
    });
    return { exitCode, ...kept };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") throw error;
    throw new Refusal(`${program} is not on the PATH. Install it and try again.`);
  } finally {
    leave();
  }
}

/** Ends a program, and in a group of its own what it has started: git has others do its fetching. */
function stop(child: ChildProcess, isGroup: boolean): void {
  if (child.pid === undefined) return;
  try {
    process.kill(isGroup ? -child.pid : child.pid);
  } catch {
    // It has ended.
  }
}

/** What git takes from the directory ikigai was started in, when git started ikigai: a hook, an alias. */
const gitPlaces = [
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_ATTR_SOURCE",
  "GIT_CEILING_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_DIR",
  "GIT_INDEX_FILE",
  "GIT_NAMESPACE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_SHALLOW_FILE",
  "GIT_TEMPLATE_DIR",
  "GIT_WORK_TREE",
];

/** What npm tells the programs it starts about the package it works on. */
const npmPlaces = ["local_prefix", "workspace", "workspaces", "include_workspace_root", "location", "global"];

/** What git runs with: the user's configuration and agents, no secrets, no other repository. */
export function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const clean = withoutSecretVariables(env);
  for (const name of gitPlaces) delete clean[name];
  // Large files would be fetched from wherever the repository's own .lfsconfig says.
  return { ...clean, GIT_LFS_SKIP_SMUDGE: "1", GIT_NO_LAZY_FETCH: "1" };
}

/** What npm runs with: the user's registries and logins, no secrets but those that the user's own npmrc names. */
export function npmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const clean = withoutSecretVariables(env, namedInNpmrc(env));
  for (const name of npmPlaces) delete clean[`npm_config_${name}`];
  return clean;
}

/** The values that must not be shown: those of the variables that look like secrets. */
export function secretValues(env: NodeJS.ProcessEnv): string[] {
  const isHidden = (name: string, value: string) =>
    isSecret(name, value) || /^npm_config_.*(auth|password|otp)/i.test(name);
  return Object.entries(env).flatMap(([name, value = ""]) => (isHidden(name, value) ? [value] : []));
}

function withoutSecretVariables(env: NodeJS.ProcessEnv, kept: ReadonlySet<string> = new Set()): NodeJS.ProcessEnv {
  const clean = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => kept.has(name) || !isSecret(name, value)),
  );
  // A relative directory would be looked up in the package.
  const path = (env.PATH ?? "").split(delimiter).filter((directory) => isAbsolute(directory));
  return { ...clean, PATH: path.join(delimiter) };
}

function isSecret(name: string, value = ""): boolean {
  // npm's own settings are what the user has told npm.
  if (name.toLowerCase().startsWith("npm_config_")) return false;
  return providerKeyNames.includes(name) || isSecretVariable(name, value);
}

/** `//registry.example/:_authToken=${NPM_TOKEN}` in the user's npmrc needs that variable, and only npm sees it. */
function namedInNpmrc(env: NodeJS.ProcessEnv): ReadonlySet<string> {
  const file = env.npm_config_userconfig ?? join(env.HOME || homedir(), ".npmrc");
  try {
    const text = readFileSync(file, "utf8");
    const names = [...text.matchAll(/\$\{([^}?]+)\??\}/g)].map(([, name = ""]) => name);
    return new Set(names.filter((name) => !providerKeyNames.includes(name)));
  } catch {
    return new Set();
  }
}

/** What another program says, as it may be shown: without passwords in addresses, without values of secret variables. */
export function withoutSecretTexts(text: string, env: NodeJS.ProcessEnv): string {
  return redact(withoutPassword(text), secretValues(env)).replace(/(https?:\/\/[^\s?#]*)\?[^\s]*/gi, "$1?…");
}

/** Somebody waits: npm tells of a registry that is not there after a few seconds, not minutes. The user's own settings count more. */
export function npmTimeouts(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    npm_config_fetch_retries: "1",
    npm_config_fetch_retry_mintimeout: "500",
    npm_config_fetch_retry_maxtimeout: "2000",
    ...env,
  };
}
