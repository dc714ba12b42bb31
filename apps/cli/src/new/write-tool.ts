import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { hastyNpm, Refusal, runProgram } from "@ikigai/tool-packages";
import { printError } from "../host/stdout.ts";
import type { Language } from "./languages.ts";
import type { NewToolName } from "./new-tool-name.ts";

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
  names: NewToolName,
  language: Language,
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
  const filled = Object.entries(language.files(names)).map(([file, text]) => [file, fill(text, names)] as const);
  try {
    for (const [file, text] of filled) writeSource(join(folder, file), text);
    if (language.script !== undefined) writeSource(path, fill(language.script, names));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    rmSync(path, { force: true });
    throw error;
  }
  const todo = await build(language, names, folder, env);
  const files = filled.map(([file]) => join(folder, file));
  return { path, folder, files: existsSync(path) ? [path, ...files] : files, todo };
}

function writeSource(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: "wx" });
  if (text.startsWith("#!")) chmodSync(path, 0o755);
}

/** What `{{name}}`, `{{file}}` and `{{folder}}` stand for. */
function fill(text: string, names: NewToolName): string {
  return text.replace(/\{\{(name|file|folder)\}\}/g, (_, key: keyof NewToolName) => names[key]);
}

/** Builds the tool; what could not be done, and how to do it, otherwise. */
async function build(
  { build: steps = [], needs }: Language,
  names: NewToolName,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const commands = steps.map((step) => step.map((word) => fill(word, names)));
  const byHand = commands.map((command) => command.join(" ")).join(" && ");
  const missing = needs.filter((program) => !isOnPath(program, env));
  if (missing.length > 0) {
    const then = byHand === "" ? "" : ` With it, build the tool: cd ${folder} && ${byHand}`;
    return [`It needs ${missing.join(" and ")}, which ${missing.length === 1 ? "is" : "are"} not on your PATH.${then}`];
  }
  if (byHand !== "") printError(`Building it: ${byHand}\n`);
  for (const [program = "", ...args] of commands) {
    const { exitCode, stdout, stderr } = await runProgram(program, args, { cwd: folder, env: hastyNpm(env) });
    if (exitCode === 0) continue;
    const reason = `${stderr}\n${stdout}`.trim().split("\n").slice(0, maxReasonLines).join(" / ");
    return [`It is not built yet, since ${program} failed: ${reason}. Try again: cd ${folder} && ${byHand}`];
  }
  return [];
}

function isOnPath(program: string, { PATH = "" }: NodeJS.ProcessEnv): boolean {
  return PATH.split(delimiter).some((directory) => existsSync(join(directory, program)));
}
