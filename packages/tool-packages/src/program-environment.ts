import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { isSecretVariable, providerKeyNames } from "@ikigai/core/internal";

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
