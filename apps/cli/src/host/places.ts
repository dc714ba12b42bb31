import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Places } from "@ikigai/agent/internal";
import { IkigaiError } from "@ikigai/core/ikigai-error";
import { toolDirectories } from "@ikigai/core/internal";
import type { CommandErrorCode } from "./exit-codes.ts";

type Environment = NodeJS.ProcessEnv;

/**
 * Works out the directories from the environment, and from where this file is.
 *
 * @throws IkigaiError `cannot_start` when the working directory, HOME or IKIGAI_HOME cannot be used.
 */
export function findPlaces(env: Environment, projectDir = workingDirectory()): Places {
  const userHome = homeOf(env);
  const home = absolute("IKIGAI_HOME", env.IKIGAI_HOME) ?? join(userHome, ".ikigai");
  // The build puts the tools beside dist/, in which this file ends up.
  const systemDir = env.IKIGAI_LIBEXEC || fileURLToPath(new URL("../libexec/ikigai", import.meta.url));
  const directories = toolDirectories({ systemDir, home, projectDir, toolPath: env.IKIGAI_TOOL_PATH });
  return { home, userHome, projectDir, directories };
}

/**
 * Where ikigai was started. What the shell says of it (PWD) does not count: another directory may have its name by now.
 *
 * @throws IkigaiError `cannot_start` when it is gone, cannot be read or has a name that tools cannot be told.
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
 * The user's home directory; the root for somebody the system does not know.
 *
 * @throws IkigaiError `cannot_start` when HOME is relative: each directory would have a home of its own in it.
 */
export function homeOf(env: Environment): string {
  const home = absolute("HOME", env.HOME);
  if (home !== undefined) return home;
  try {
    return homedir();
  } catch {
    return "/";
  }
}

function absolute(name: string, value: string | undefined): string | undefined {
  if (!value) return undefined;
  if (isAbsolute(value)) return value;
  throw cannotStart(
    `${name} is ${JSON.stringify(value)}, which is not an absolute path. Set it to one that begins with /.`,
  );
}

/** Nothing has run; the message has what to do. */
function cannotStart(message: string): IkigaiError<CommandErrorCode> {
  return new IkigaiError("cannot_start", message);
}
