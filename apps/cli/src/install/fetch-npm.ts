import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DependencyLock, hasLock, readLock, writeLock } from "./dependency-lock.ts";
import type { Fetched } from "./fetched.ts";
import { hastyNpm } from "./hasty-npm.ts";
import { Refusal } from "./refusal.ts";
import { runProgram } from "./run-program.ts";

/**
 * Has the user's own npm put a package and what it depends on into a folder: with the user's registries and tokens, and
 * without running anything of it.
 *
 * @param lock is what it depended on the last time: kept as far as it fits.
 * @throws Refusal when npm cannot.
 */
export async function fetchNpm(
  spec: string,
  stage: string,
  env: NodeJS.ProcessEnv,
  lock?: DependencyLock,
): Promise<Fetched> {
  const before = lock?.packages[""]?.dependencies;
  // A name of its own, since npm would write the folder's, which is another one every time.
  const manifest = { name: "added-by-ikigai", private: true, ...(before && { dependencies: before }) };
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  if (lock) writeLock(stage, lock);
  // Without a version npm would keep the one that it has.
  const wanted = lock && !/.[@/:]/.test(spec.replace(/^@[^/]*\//, "")) ? `${spec}@latest` : spec;
  await npmInstall([wanted], stage, env, spec);
  const { dependencies = {} } = JSON.parse(readFileSync(join(stage, "package.json"), "utf8"));
  // Two only when what comes from there is called otherwise now.
  const [known = "", renamed = known] = Object.keys({ ...before, ...dependencies });
  const now = readLock(stage);
  const packageDir = join("node_modules", renamed);
  const { version = "", resolved, integrity } = now.packages[packageDir] ?? {};
  const others = Object.keys(now.packages).length - 2;
  return {
    name: renamed,
    version,
    packageDir,
    dependencies: others,
    facts: {
      ...(resolved?.startsWith("http") && { resolved }),
      ...(integrity && { integrity }),
      ...(others > 0 && { lock: now }),
    },
  };
}

/**
 * Puts the dependencies of a folder beside it, as its lock file says if it has one, else as they were the last time. Gives what
 * to write down for the next time: nothing when the folder says it itself.
 */
export async function installDependencies(
  folder: string,
  env: NodeJS.ProcessEnv,
  lock?: DependencyLock,
): Promise<DependencyLock | undefined> {
  const isLocked = hasLock(folder);
  if (lock && !isLocked) writeLock(folder, lock);
  await npmInstall([], folder, env, "the dependencies");
  return isLocked ? undefined : readLock(folder);
}

async function npmInstall(specs: readonly string[], folder: string, env: NodeJS.ProcessEnv, what: string) {
  const args = ["install", "--json", "--prefix", folder, ...flags, "--", ...specs];
  const { exitCode, stdout, stderr } = await runProgram("npm", args, { cwd: folder, env: ownEnvironment(env) });
  if (exitCode !== 0) throw new Refusal(explain(what, stdout, stderr));
}

const flags = [
  "--ignore-scripts",
  "--omit=dev",
  "--save-exact",
  "--no-audit",
  "--no-fund",
  "--no-global",
  "--install-links",
  "--loglevel=error",
];

/** When ikigai itself was started by npm, npm's idea of the current package must not count. */
function ownEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { npm_config_local_prefix, npm_config_workspace, npm_config_workspaces, ...rest } = env;
  return hastyNpm(rest);
}

const advice: Readonly<Record<string, string>> = {
  E404: "Look at its name, and at the registry: npm config get registry.",
  ETARGET: "Look at the versions there are: npm view NAME versions.",
  E401: "The registry wants to know who you are: npm login.",
  ENEEDAUTH: "The registry wants to know who you are: npm login.",
  E403: "The registry does not let you read it: npm whoami.",
  EINTEGRITY: "What came is not what the registry promised. Try again; if it stays so, do not use it.",
};

/** What a network says when the registry is not there. */
const isOffline = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)$/;

function explain(what: string, stdout: string, stderr: string): string {
  const { code = "", summary = "", detail = "" } = readError(stdout);
  const reason = firstLine(summary) ?? firstLine(stderr) ?? firstLine(detail) ?? "it does not say why";
  if (isOffline.test(code))
    return `Expected npm to fetch ${what}, but the registry cannot be reached: ${reason}. Look at the network, and at: npm config get registry.`;
  const name = what.replace(/(?<=.)@[^@/]*$/, "");
  const next = advice[code]?.replace("NAME", name) ?? `Try it by hand: npm install --ignore-scripts ${what}`;
  return `Expected npm to fetch ${what}, but it could not (${code || "no code"}): ${reason}. ${next}`;
}

function readError(stdout: string): { code?: string; summary?: string; detail?: string } {
  try {
    return JSON.parse(stdout.slice(stdout.indexOf("{"))).error ?? {};
  } catch {
    return {};
  }
}

function firstLine(text: string): string | undefined {
  return text
    .split("\n")
    .find((line) => line.trim() !== "")
    ?.trim()
    .replace(/^\w*Error: |\.$/g, "");
}
