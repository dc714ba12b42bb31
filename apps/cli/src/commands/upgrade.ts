// `ikigai upgrade`: finds out how this command was installed, and installs the newest version the same way.

import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Places, storedKeys } from "@ikigai/agent/internal";
import { providerNames } from "@ikigai/models";
import { sanitise } from "@ikigai/screen";
import { isInside, shellWord } from "@ikigai/system";
import { type CommandName, commands } from "../args/commands.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { homeOf } from "../host/places/find-places.ts";
import { version } from "../host/places/own-paths.ts";
import { exitCodes } from "../host/terminal/exit.ts";
import { printOut } from "../host/terminal/stdout.ts";
import { keyPlace } from "../render/render-settings.ts";
import type { Command } from "./command.ts";

/** Prints how to update this copy of ikigai. */
export const upgrade: Command = {
  async run(args, { env }) {
    readNothing("upgrade", args);
    const copy = installation(env);
    return print([
      ...about(copy),
      ...typed("To update it, type:", copy.update),
      ...writeNotes(copy),
      "To update the tools that you have added: ikigai tool update",
    ]);
  },
};

/** Prints how to remove this copy of ikigai, what stays, and how to remove that. */
export const uninstall: Command = {
  async run(args, { places, env }) {
    readNothing("uninstall", args);
    const copy = installation(env);
    return print([
      ...about(copy),
      ...keyringNotes(places, env),
      ...(copy.remove === undefined
        ? ["To remove it, delete that directory."]
        : typed("To remove it, type:", copy.remove)),
      ...writeNotes(copy),
      ...(existsSync(places.home) ? [] : [`Nothing is stored in ${places.home}.`]),
      ...whatStays(places, env).flatMap(({ path, what }) =>
        typed(`${what} in ${path}. To delete them too:`, `rm -rf ${shellWord(path)}`),
      ),
      "Projects keep their .ikigai directories. ikigai help files lists all files.",
    ]);
  },
};

function readNothing(name: CommandName, args: readonly string[]): void {
  const syntax = commands[name];
  readOperands(readOptions(args, syntax.options).operands, syntax);
}

function print(lines: readonly string[]): number {
  printOut(sanitise(`${lines.join("\n")}\n`));
  return exitCodes.done;
}

function about({ what, note }: Installation): string[] {
  return [`This is ikigai ${version}: ${what}.`, ...(note === undefined ? [] : [note])];
}

/** A command on a line of its own, so that it can be copied. */
function typed(what: string, command: string): string[] {
  return [what, "", `  ${command}`, ""];
}

function writeNotes({ directory }: Installation): string[] {
  const problem = writeProblem(directory);
  return problem === undefined ? [] : [problem];
}

/** Keys in the system's keyring outlive the directory that says that they are there. */
function keyringNotes(places: Places, env: NodeJS.ProcessEnv): string[] {
  const stored = storedKeys({ ...places, env });
  const inKeyring = providerNames.filter((provider) => stored.placeOf(provider) === "keyring");
  if (inKeyring.length === 0) return [];
  const commandLines = inKeyring.map((provider) => `ikigai logout ${provider}`);
  return typed(`To remove your API keys from ${keyPlace("keyring", env)} first:`, commandLines.join(" && "));
}

/** A directory that stays when ikigai is removed. */
interface LeftDirectory {
  readonly path: string;
  /** A sentence about it, without a full stop. */
  readonly what: string;
}

/** Returns the directories outside of projects that ikigai and its tools have created. */
function whatStays({ home, userHome }: Places, env: NodeJS.ProcessEnv): readonly LeftDirectory[] {
  const base = (variable: string, usual: string) =>
    isAbsolute(env[variable] ?? "") ? String(env[variable]) : join(userHome, usual);
  const pages = "Web pages that web_fetch has read stay";
  const all = [
    { path: home, what: "Your settings, sessions and tools, and keys in credentials.json, stay" },
    { path: join(base("XDG_CACHE_HOME", ".cache"), "ikigai"), what: pages },
    { path: join(tmpdir(), `ikigai-web-${process.getuid?.() ?? "user"}`), what: pages },
    {
      path: join(base("XDG_STATE_HOME", ".local/state"), "ikigai"),
      what: "The worktrees of agents, with changes that may be nowhere else, stay",
    },
  ];
  return all.filter(({ path }) => existsSync(path));
}

/** Why the user cannot change the entries of a directory, and what to do; undefined if they can. */
function writeProblem(directory: string): string | undefined {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `You cannot write to ${directory}${advice(directory, (error as NodeJS.ErrnoException).code)}`;
  }
}

function advice(directory: string, code: string | undefined): string {
  if (code !== "EACCES")
    return ` (${code}). Change ikigai in the way it was put there, for example in the container's image.`;
  const { uid } = statSync(directory);
  if (uid === 0) return ", which belongs to root. Run the command as root, for example with sudo.";
  if (uid === process.getuid?.()) return `, although it is yours. First: chmod u+w ${shellWord(directory)}`;
  return `, which belongs to another user (uid ${uid}). Run the command as that user.`;
}

/** Where a copy of ikigai is, and what to type to change it. */
export interface Installation {
  /** What the copy is, as a sentence without its end: `npm installed it in /usr/local/lib/node_modules`. */
  readonly what: string;
  /** The directory whose entries the commands change. */
  readonly directory: string;
  readonly update: string;
  /** Undefined for a copy that no package manager installed. */
  readonly remove?: string;
  /** How to remove a copy without a command, or what to know about the commands. */
  readonly note?: string;
}

/** Where each package manager other than npm puts what it installs globally. */
const managers: readonly { name: string; path: RegExp; update: string; remove: string }[] = [
  {
    name: "pnpm",
    // In a project, the directory is node_modules/.pnpm.
    path: /(?<!\/node_modules)\/\.pnpm\/|\/pnpm\/(?:global|store)\/|\/store\/v\d+\/links\//,
    update: "pnpm add -g @ikigai/cli@latest",
    remove: "pnpm remove -g @ikigai/cli",
  },
  {
    name: "yarn",
    path: /\/yarn\/global\/node_modules\//,
    update: "yarn global add @ikigai/cli@latest",
    remove: "yarn global remove @ikigai/cli",
  },
  {
    name: "bun",
    path: /\/install\/global\/node_modules\//,
    update: "bun add -g @ikigai/cli@latest",
    remove: "bun remove -g @ikigai/cli",
  },
];

/** Programs that run a package without installing it, and where each keeps it. */
const runners: readonly { name: string; path: RegExp }[] = [
  { name: "npx", path: /\/_npx\/[^/]+$/ },
  { name: "pnpm dlx", path: /\/pnpm\/dlx\// },
  { name: "bunx", path: /\/bunx-\d+-/ },
];

/**
 * Finds out how ikigai was installed, from the path of its files.
 *
 * @param file a file in the copy's dist/, without symlinks on its path; by default the running one.
 */
export function installation(env: NodeJS.ProcessEnv, file = fileURLToPath(import.meta.url)): Installation {
  const root = dirname(dirname(file));
  const directory = dirname(root);
  const manager = managers.find(({ path }) => path.test(file));
  if (manager) return { ...manager, what: `${manager.name} installed it in ${directory}`, directory };
  const [, prefix] = /^(.*)\/lib\/node_modules\/@ikigai\/cli\//.exec(file) ?? [];
  if (prefix !== undefined) return byNpm(prefix || sep, directory, env);
  const [, project] = /^(.*?)\/node_modules\//.exec(file) ?? [];
  if (project !== undefined) return inProject(project, directory);
  const clone = dirname(directory);
  return existsSync(join(clone, "pnpm-workspace.yaml")) ? inClone(clone) : copied(root);
}

function byNpm(prefix: string, directory: string, env: NodeJS.ProcessEnv): Installation {
  const option = prefix === npmPrefix(env) ? "" : ` --prefix ${shellWord(prefix)}`;
  return {
    what: `npm installed it in ${dirname(directory)}`,
    directory,
    update: `npm install -g${option} @ikigai/cli@latest`,
    remove: `npm uninstall -g${option} @ikigai/cli`,
  };
}

function inProject(project: string, directory: string): Installation {
  const inThere = `cd ${shellWord(project)} &&`;
  const runner = runners.find(({ path }) => path.test(project));
  if (runner)
    return {
      what: `${runner.name} keeps it in its cache, ${project}`,
      directory,
      update: `${runner.name} @ikigai/cli@latest`,
      note: "Nothing is installed.",
    };
  return {
    what: `it is a dependency of the project in ${project}`,
    directory,
    update: `${inThere} npm install @ikigai/cli@latest`,
    remove: `${inThere} npm uninstall @ikigai/cli`,
    note: "If the project uses another package manager than npm, use that one.",
  };
}

function copied(root: string): Installation {
  return {
    what: `it was copied to ${root}, not installed`,
    directory: root,
    update: "npm install -g @ikigai/cli@latest",
    note: "The copy stays as it is, until you delete it.",
  };
}

function inClone(clone: string): Installation {
  const started = process.argv[1] ?? "";
  const isLink = !isInside(realpathSync(dirname(started)), clone);
  return {
    what: `it runs from the clone in ${clone}`,
    directory: clone,
    update: `cd ${shellWord(clone)} && git pull && npm start -- --version`,
    ...(isLink && { note: `${started} is a link to the clone.` }),
  };
}

/**
 * The directory in which `npm install -g` installs without --prefix: the one that the environment or an .npmrc sets, else the one
 * with the running Node. Not read are the settings that a distributor builds into npm; with those, an unneeded --prefix does no harm.
 */
export function npmPrefix(env: NodeJS.ProcessEnv, node = realpathSync(process.execPath)): string {
  const variable = (pattern: RegExp) => Object.entries(env).find(([name]) => pattern.test(name))?.[1];
  const ofNode = variable(/^PREFIX$/) || dirname(dirname(node));
  return (
    variable(/^npm_config_prefix$/i) ||
    setPrefix(variable(/^npm_config_userconfig$/i) || join(homeOf(env), ".npmrc")) ||
    setPrefix(join(ofNode, "etc", "npmrc")) ||
    ofNode
  );
}

/** The prefix in an .npmrc, as written; undefined if the file sets none or cannot be read. */
function setPrefix(path: string): string | undefined {
  try {
    return /^\s*prefix\s*=\s*(.*?)\s*$/m.exec(readFileSync(path, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}
