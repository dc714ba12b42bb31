// Where ikigai reads and writes: the user's directory, the project, and the directories of tools, from the environment. Then how paths
// are shown, and what is wrong with directories that variables name.

import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentContext, Places } from "@ikigai/agent/internal";
import { IkigaiError } from "@ikigai/core/errors";
import { toolDirectories } from "@ikigai/core/internal";
import { toolSuffix } from "@ikigai/protocol";
import { systemReason, userHome as userHomeIn } from "@ikigai/system";
import type { CommandErrorCode } from "../terminal/exit.ts";

type Environment = NodeJS.ProcessEnv;

/**
 * Finds the directories from the environment and from this file's own path.
 *
 * @throws IkigaiError `cannot_start` if the working directory, HOME, IKIGAI_HOME, IKIGAI_LIBEXEC, IKIGAI_TOOL_PATH, IKIGAI_BWRAP or
 *   TMPDIR cannot be used. A relative path would lead into a clone.
 */
export function findPlaces(env: Environment, projectDir = workingDirectory()): Places {
  const userHome = homeOf(env);
  for (const name of ["TMPDIR", "IKIGAI_BWRAP"]) absolute(name, env[name]);
  for (const path of (env.IKIGAI_TOOL_PATH ?? "").split(delimiter)) absolute("IKIGAI_TOOL_PATH", path);
  const home = ownHome(env) ?? join(userHome, ".ikigai");
  // The build puts the tools next to dist/, which contains this file.
  const systemDir =
    absolute("IKIGAI_LIBEXEC", env.IKIGAI_LIBEXEC) ?? fileURLToPath(new URL("../libexec/ikigai", import.meta.url));
  const directories = toolDirectories({ systemDir, home, projectDir, toolPath: env.IKIGAI_TOOL_PATH });
  return { home, userHome, projectDir, directories };
}

/**
 * The directory in which ikigai was started. PWD is ignored: another directory may have that name by now.
 *
 * @throws IkigaiError `cannot_start` if it no longer exists, cannot be read, or has a name that cannot be passed to tools.
 */
function workingDirectory(): string {
  let path: string;
  try {
    path = process.cwd();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw cannotStart(
      `The working directory no longer exists or cannot be reached (${code}). Start ikigai in another directory.`,
    );
  }
  try {
    const [here, named] = [statSync("."), statSync(path, { throwIfNoEntry: false })];
    if (named === undefined || here.dev !== named.dev || here.ino !== named.ino) {
      const why = path.includes("\ufffd") ? "has a name that is not UTF-8" : "is not the directory at that path";
      throw cannotStart(`The working directory ${path} ${why}. Start ikigai in another directory.`);
    }
    accessSync(".", constants.R_OK | constants.X_OK);
    return path;
  } catch (error) {
    if (error instanceof IkigaiError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw cannotStart(`The working directory ${path} cannot be read (${code}). Start ikigai in another directory.`);
  }
}

/**
 * The user's home directory; the root for a user that the system does not know.
 *
 * @throws IkigaiError `cannot_start` if HOME is empty or relative: each working directory would have its own home.
 */
export function homeOf(env: Environment): string {
  return userHomeIn(env) ?? refuseRelative("HOME", env.HOME);
}

/** IKIGAI_HOME; `undefined` if it is not set. A missing directory is created when something is saved. */
function ownHome(env: Environment): string | undefined {
  const home = absolute("IKIGAI_HOME", env.IKIGAI_HOME);
  if (home !== undefined && isOtherThanDirectory(home))
    throw cannotStart(`IKIGAI_HOME is ${JSON.stringify(home)}, which is not a directory. Set it to a directory.`);
  return home;
}

/** Whether a path exists and is no directory. */
function isOtherThanDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  } catch {
    // What uses it reports it.
    return false;
  }
}

function absolute(name: string, value: string | undefined): string | undefined {
  if (!value) return undefined;
  return isAbsolute(value) ? value : refuseRelative(name, value);
}

function refuseRelative(name: string, value: string | undefined): never {
  throw cannotStart(
    `${name} is ${JSON.stringify(value)}, which is not an absolute path. Set it to one that begins with /.`,
  );
}

/** An error before anything has run; the message says what to do. */
function cannotStart(message: string): IkigaiError<CommandErrorCode> {
  return new IkigaiError("cannot_start", message);
}

/** The places of a conversation as its calls see them: after `/cd`, their relative paths begin elsewhere in the project. */
export function placesOfCalls({ places, permission: { cwd } }: Pick<AgentContext, "places" | "permission">): Places {
  return cwd === undefined ? places : { ...places, projectDir: cwd };
}

/** The directory of the directories that conversations have for as long as they are open. @param home the user's, `~/.ikigai`. */
export function conversationsDir(home: string): string {
  return join(home, "cache", "conversations");
}

let added: () => readonly string[] = () => [];

/** Has paths in these directories shown with the directory's name: `other/src/a.ts`. */
export function nameDirectories(directories: typeof added): void {
  added = directories;
}

/** An absolute path in a directory that was added to the project, with its name, unless it could mean a file here. */
export function namedPath(path: string): string {
  const directory = added().find((one) => isBelow(path, one));
  if (directory === undefined || existsSync(basename(directory))) return path;
  return `${basename(directory)}${path.slice(directory.length)}`;
}

/** Whether a path is a directory or in it, by their text. Nothing is below the root. */
export function isBelow(path: string, directory: string): boolean {
  return directory.length > 1 && (path === directory || path.startsWith(directory + sep));
}

/** Why the directories that IKIGAI_LIBEXEC and IKIGAI_TOOL_PATH name have no tools, one sentence each. */
export function namedDirectoryProblems(env: Environment): string[] {
  const added = (env.IKIGAI_TOOL_PATH ?? "").split(delimiter).filter((path) => path !== "");
  const problems = added.map((path) => problemOf("IKIGAI_TOOL_PATH", path));
  return [libexecProblem(env), ...problems].filter((problem) => problem !== undefined);
}

/** Why the directory that IKIGAI_LIBEXEC names has no tools; `undefined` if it has, or none is named. */
export function libexecProblem({ IKIGAI_LIBEXEC: path }: Environment): string | undefined {
  return path ? problemOf("IKIGAI_LIBEXEC", path) : undefined;
}

function problemOf(variable: string, path: string): string | undefined {
  try {
    if (readdirSync(path).some((name) => name.endsWith(toolSuffix))) return undefined;
    return `${variable} names ${path}, which contains no tools. ${advice}`;
  } catch (error) {
    return `${variable} names ${path}, which cannot be read: ${systemReason(error as NodeJS.ErrnoException)}. ${advice}`;
  }
}

const advice = "Correct the path, or unset the variable.";
