import { existsSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import {
  type LanguageName,
  type Toolchain,
  type ToolNames,
  toolchain,
  toolFiles,
  writeFiles,
} from "@ikigai/create-tool";
import { npmTimeouts, Refusal, runProgram } from "@ikigai/tool-packages";
import { printError } from "../../host/stdout.ts";

/** Where a new tool ended up. */
export interface WrittenTool {
  readonly path: string;
  readonly folder: string;
  /** All that is there now; the tool is not among them when it could not be built. */
  readonly files: readonly string[];
  /** What is left to be done before it works, one sentence each. */
  readonly todo: readonly string[];
}

/** The first lines of what a compiler complains about say enough; the rest comes when it is run by hand. */
const maxReasonLines = 2;

/**
 * Writes a tool and what belongs to it, and builds it if that is needed and can be done.
 *
 * @throws Refusal when something of this name is there already. The system's error when it cannot be written.
 */
export async function writeTool(
  names: ToolNames,
  language: LanguageName,
  { directory, mode, env }: { readonly directory: string; readonly mode: number; readonly env: NodeJS.ProcessEnv },
): Promise<WrittenTool> {
  const [path, folder] = [join(directory, names.file), join(directory, names.folder)];
  for (const taken of [path, folder]) {
    if (lstatSync(taken, { throwIfNoEntry: false }))
      throw new Refusal(
        `Expected nothing at ${taken}, where the new tool goes, but there is something. Nothing was written.`,
      );
  }
  mkdirSync(directory, { recursive: true, mode });
  // Whoever makes the folder has the name.
  mkdirSync(folder, { mode });
  const files = toolFiles(names, language);
  try {
    writeFiles(directory, files);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    rmSync(path, { force: true });
    throw error;
  }
  const todo = await build(toolchain(names, language), folder, env);
  const written = Object.keys(files).filter((file) => file !== names.file);
  const all = written.map((file) => join(directory, file));
  return { path, folder, files: existsSync(path) ? [path, ...all] : all, todo };
}

/** Builds the tool; what could not be done, and how to do it, otherwise. */
async function build({ build: commands, needs }: Toolchain, folder: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const byHand = commands.map((command) => command.join(" ")).join(" && ");
  const missing = needs.filter((program) => !isOnPath(program, env));
  if (missing.length > 0) {
    const then = byHand === "" ? "" : ` With it, build the tool: cd ${folder} && ${byHand}`;
    return [`It needs ${missing.join(" and ")}, which ${missing.length === 1 ? "is" : "are"} not on your PATH.${then}`];
  }
  if (byHand !== "") printError(`Building it: ${byHand}\n`);
  for (const [program = "", ...args] of commands) {
    const { exitCode, stdout, stderr } = await runProgram(program, args, { cwd: folder, env: npmTimeouts(env) });
    if (exitCode === 0) continue;
    const reason = `${stderr}\n${stdout}`.trim().split("\n").slice(0, maxReasonLines).join(" / ");
    return [`It is not built yet, since ${program} failed: ${reason}. Try again: cd ${folder} && ${byHand}`];
  }
  return [];
}

function isOnPath(program: string, { PATH = "" }: NodeJS.ProcessEnv): boolean {
  return PATH.split(delimiter).some((directory) => existsSync(join(directory, program)));
}
