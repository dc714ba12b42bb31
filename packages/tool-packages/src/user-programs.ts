// Runs the user's npm, git and go, with the environment that each needs and without secrets.

import { readFileSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isatty } from "node:tty";
import { isSecretVariable, providerKeyNames, redact, runProgram, userHome, withoutPassword } from "@ikigai/system";
import { Refusal } from "./refusal.ts";

/** The most output kept per stream, in bytes: far more than npm or git prints for a failure. */
const maxBytes = 1_048_576;

/**
 * Runs one of the user's programs (npm, git, go) until it exits, never one from the project. It is killed if this process exits. npm
 * reports an unreachable registry after seconds instead of minutes, unless the user's own settings say something else.
 *
 * @returns its exit code, 128 if a signal ended it, and its output.
 * @throws Refusal if it is not installed.
 */
export async function runUserProgram(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
  // On a terminal it may ask for a password, so it shares the terminal and its Ctrl-C; elsewhere it gets its own process group.
  const detached = !(isatty(0) && isatty(2));
  const options = { cwd, env: { ...npmTimeouts, ...env }, projectDir: process.cwd(), detached, maxBytes };
  const end = await runProgram(program, args, options);
  if (end.isMissing) throw new Refusal(`${program} is not on the PATH. Install it and try again.`);
  const { exitCode = 128, stdout, stderr } = end;
  return { exitCode, stdout: stdout.toString("utf8"), stderr: stderr.toString("utf8") };
}

const npmTimeouts = {
  npm_config_fetch_retries: "1",
  npm_config_fetch_retry_mintimeout: "500",
  npm_config_fetch_retry_maxtimeout: "2000",
};

/** Variables that git sets for its hooks and aliases, which would point git to another repository. */
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

/** Variables that npm sets for its scripts, which would point npm to another package. */
const npmPlaces = ["local_prefix", "workspace", "workspaces", "include_workspace_root", "location", "global"];

/** The environment for git: the user's configuration and agents, no secrets, no other repository. */
export function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const clean = withoutSecretVariables(env);
  for (const name of gitPlaces) delete clean[name];
  // Git LFS would fetch files from the server in the repository's .lfsconfig.
  return { ...clean, GIT_LFS_SKIP_SMUDGE: "1", GIT_NO_LAZY_FETCH: "1" };
}

/** The environment for npm: the user's registries and logins, no secrets except those named in the user's npmrc. */
export function npmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const clean = withoutSecretVariables(env, namedInNpmrc(env));
  for (const name of npmPlaces) delete clean[`npm_config_${name}`];
  return clean;
}

/** The values of variables that look like secrets, which must not be shown. */
export function secretValues(env: NodeJS.ProcessEnv): string[] {
  const isHidden = (name: string, value: string) =>
    isSecret(name, value) || /^npm_config_.*(auth|password|otp)/i.test(name);
  return Object.entries(env).flatMap(([name, value = ""]) => (isHidden(name, value) ? [value] : []));
}

function withoutSecretVariables(env: NodeJS.ProcessEnv, kept: ReadonlySet<string> = new Set()): NodeJS.ProcessEnv {
  const clean = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => kept.has(name) || !isSecret(name, value)),
  );
  // A relative directory would be resolved in the package.
  const path = (env.PATH ?? "").split(delimiter).filter((directory) => isAbsolute(directory));
  return { ...clean, PATH: path.join(delimiter) };
}

function isSecret(name: string, value = ""): boolean {
  // npm's own settings are not secrets of others.
  if (name.toLowerCase().startsWith("npm_config_")) return false;
  return providerKeyNames.includes(name) || isSecretVariable(name, value);
}

/** The variables in the user's npmrc, as in `//registry.example/:_authToken=${NPM_TOKEN}`. Only npm gets them. */
function namedInNpmrc(env: NodeJS.ProcessEnv): ReadonlySet<string> {
  const file = env.npm_config_userconfig ?? join(userHome(env) ?? "", ".npmrc");
  try {
    const text = readFileSync(file, "utf8");
    const names = [...text.matchAll(/\$\{([^}?]+)\??\}/g)].map(([, name = ""]) => name);
    return new Set(names.filter((name) => !providerKeyNames.includes(name)));
  } catch {
    return new Set();
  }
}

/** A program's output without passwords in URLs and values of secret variables. */
export function withoutSecretTexts(text: string, env: NodeJS.ProcessEnv): string {
  return redact(withoutPassword(text), secretValues(env)).replace(/(https?:\/\/[^\s?#]*)\?[^\s]*/gi, "$1?…");
}
