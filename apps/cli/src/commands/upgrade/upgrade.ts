import { accessSync, constants, existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { type Places, providerNames, storedKeys } from "@ikigai/agent/internal";
import { shellWord } from "@ikigai/system";
import { type CommandName, commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { exitCodes } from "../../host/exit.ts";
import { version } from "../../host/own-paths.ts";
import { printOut } from "../../host/stdout.ts";
import { keyPlace } from "../../render/key-source.ts";
import { sanitise } from "../../render/sanitise.ts";
import type { Command } from "../command.ts";
import { type Installation, installation } from "./installation.ts";

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
