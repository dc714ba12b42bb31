import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type LanguageName,
  missingPrograms,
  type Toolchain,
  type ToolNames,
  toolchain,
  toolFiles,
  writeFiles,
} from "@ikigai/create-tool";
import { makeDirectories, shellWord } from "@ikigai/system";
import { npmTimeouts, runProgram } from "@ikigai/tool-packages";
import { ownClone } from "../../host/own-clone.ts";
import { printError } from "../../host/stdout.ts";

/** A new tool's files, and what remains to be done. */
export interface WrittenTool {
  readonly path: string;
  readonly folder: string;
  /** The files written; without the tool itself if it could not be built. */
  readonly files: readonly string[];
  /** What the user must do before it works, one sentence each. */
  readonly todo: readonly string[];
}

/** Where a tool is written. */
export interface ToolPlace {
  readonly directory: string;
  /** The permissions of a new directory. */
  readonly mode: number;
  readonly env: NodeJS.ProcessEnv;
  /** Whether it is part of a project, so has to be trusted. */
  readonly isProject: boolean;
}

/** Lines of a compiler's output to show; running it by hand shows the rest. */
const maxReasonLines = 2;

/**
 * Writes a tool and its folder, and builds it if necessary and possible.
 *
 * @throws the system's error if it cannot be written.
 */
export async function writeTool(
  names: ToolNames,
  language: LanguageName,
  { directory, mode, env, isProject }: ToolPlace,
): Promise<WrittenTool> {
  const [path, folder] = [join(directory, names.file), join(directory, names.folder)];
  makeDirectories(directory, mode);
  // Creating the folder reserves the name.
  mkdirSync(folder, { mode });
  const clone = ownClone();
  const files = toolFiles(names, language, { clone });
  try {
    writeFiles(directory, files);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    rmSync(path, { force: true });
    throw error;
  }
  const chain = toolchain(names, language, { clone, isProject });
  if (chain.source !== undefined) printError(`Using the libraries of ${chain.source} instead of the published ones.\n`);
  const todo = await build(chain, folder, env);
  const written = Object.keys(files).filter((file) => file !== names.file);
  const all = written.map((file) => join(directory, file));
  return { path, folder, files: existsSync(path) ? [path, ...all] : all, todo };
}

/** Builds the tool; returns what failed and how to do it by hand, if anything. */
async function build({ build: commands, needs }: Toolchain, folder: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const byHand = commands.map((command) => command.map(shellWord).join(" ")).join(" && ");
  const there = `cd ${shellWord(folder)} && ${byHand}`;
  const missing = missingPrograms(needs, env);
  if (missing.length > 0) {
    const then = byHand === "" ? "" : `, then build the tool: ${there}`;
    const programs = missing.join(" and ");
    return [`Not usable yet: ${programs} ${missing.length === 1 ? "is" : "are"} not on your PATH. Install it${then}`];
  }
  if (byHand !== "") printError(`Building: ${byHand}\n`);
  for (const [program = "", ...args] of commands) {
    const { exitCode, stdout, stderr } = await runProgram(program, args, { cwd: folder, env: npmTimeouts(env) });
    if (exitCode === 0) continue;
    const reason = `${stderr}\n${stdout}`.trim().split("\n").slice(0, maxReasonLines).join(" / ");
    return [`Not built: ${program} failed: ${reason}. To try again: ${there}`];
  }
  return [];
}
