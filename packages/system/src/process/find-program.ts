// Where programs are, and why one cannot be started.

import { accessSync, constants, lstatSync, type Stats, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { executionProblem } from "../files/directories.ts";
import { repositoryAround } from "../files/git.ts";
import { isInside, isProgram, readLink, realPathOf, userHome } from "../files/paths.ts";
import { readFirstLine, readHead } from "../files/read-files.ts";
import { systemReason } from "../text/words.ts";

/**
 * Finds a program: an absolute path is returned as it is, a name is searched for on the PATH, but never inside the project,
 * whose directories package managers put first.
 */
export function findProgram(name: string, searchPath = "", projectDir: string): string | undefined {
  return programFinder(searchPath, projectDir)(name);
}

/** The same for many names on one PATH, which is then read only once. */
export function programFinder(searchPath: string, projectDir: string): (name: string) => string | undefined {
  let directories: readonly string[] | undefined;
  return (name) => {
    if (isAbsolute(name)) return name;
    if (name === "" || name.includes("/")) return undefined;
    directories ??= pathOutsideProject(searchPath, projectDir)
      .split(delimiter)
      .filter((directory) => directory !== "");
    return directories.map((directory) => join(directory, name)).find(isProgram);
  };
}

/** How long a result is used again, in milliseconds: each call of a tool asks, and a user's PATH hardly ever changes. */
const freshMs = 1_000;

let last: { readonly of: string; readonly at: number; readonly found: string } | undefined;

/**
 * Removes from a search path the directories that a project controls: those inside it or its git repository, relative ones, and `node_modules/.bin`
 * directories around it, which package managers put first. A project that contains the user's home (`/`, or the home itself)
 * is not a clone: directories on its PATH are the user's own. A link that is changed counts after up to a second.
 */
export function pathOutsideProject(searchPath: string, projectDir: string): string {
  const home = userHome();
  const of = JSON.stringify([searchPath, projectDir, home]);
  const now = performance.now();
  if (last?.of !== of || now - last.at > freshMs) last = { of, at: now, found: outside(searchPath, projectDir, home) };
  return last.found;
}

function outside(searchPath: string, projectDir: string, home: string | undefined): string {
  const realHome = home === undefined ? undefined : realPathOf(home);
  const project = repositoryAround(realPathOf(projectDir), realHome);
  const holdsHome = realHome !== undefined && isInside(realHome, project);
  const isOutside = (directory: string): boolean => {
    if (!isAbsolute(directory)) return false;
    return [directory, realPathOf(directory)].every((path) => {
      const modules = dirname(path);
      const isInstalled = basename(path) === ".bin" && basename(modules) === "node_modules";
      return (holdsHome || !isInside(path, project)) && !(isInstalled && isInside(project, dirname(modules)));
    });
  };
  return searchPath.split(delimiter).filter(isOutside).join(delimiter);
}

/** The shell that runs commands unless the user chooses one: bash from the PATH, outside the project, or else `/bin/sh`. */
export function standardShell(searchPath: string | undefined, projectDir: string): string {
  return findProgram("bash", searchPath, projectDir) ?? "/bin/sh";
}

/** A shell's name; for `/bin/sh` with the shell that it is on this system, for instance `sh (dash)`. */
export function shellName(path: string): string {
  const name = basename(path);
  return name === "sh" ? `sh (${basename(realPathOf(path))})` : name;
}

/** The program and arguments that start a local program. */
interface ProgramStart {
  readonly path: string;
  readonly args: readonly string[];
}

/**
 * Decides how a program is started that no project may replace: normally by its file. If the PATH contains directories of the
 * project, for a program that shall have this PATH, a script with `#!/usr/bin/env NAME` could run the project's NAME, so NAME is looked up outside the project.
 *
 * @returns `failure`, the end of a sentence, if there is no such program outside the project.
 */
export function wordsOutsideProject(
  { path, args }: ProgramStart,
  { PATH: searchPath = "" }: NodeJS.ProcessEnv,
  projectDir: string,
): ProgramStart | { readonly failure: string } {
  if (pathOutsideProject(searchPath, projectDir) === searchPath) return { path, args };
  const { program: name, options = [] } = readFirstLine(path) ?? {};
  if (name === undefined) return { path, args };
  // The user's Node is the one that runs this process.
  const program = findProgram(name, searchPath, projectDir) ?? (name === "node" ? process.execPath : undefined);
  if (program !== undefined) return { path: program, args: [...options, path, ...args] };
  return { failure: `its interpreter ${name} is not on your PATH outside the project; install it` };
}

/**
 * Explains why a program could not be started, as the end of a sentence.
 *
 * ENOENT alone can mean five things and EACCES four; the file shows which.
 */
export function explainStartFailure(path: string, cwd: string, error: NodeJS.ErrnoException): string {
  const { code = "" } = error;
  if (code === "ENOENT" || code === "EACCES" || code === "ENOTDIR") {
    const unexplained = code === "ENOENT" ? "a library it needs is missing" : systemReason(error);
    return whyNoProgram(path, cwd) ?? explainScript(path) ?? unexplained;
  }
  return systemReason(error);
}

/** Returns why a path is not an executable file, or cannot be started in a directory: the end of a sentence. */
export function whyNoProgram(path: string, cwd: string): string | undefined {
  const directory = lookAt(cwd);
  if (directory === undefined) return `the working directory ${cwd} does not exist`;
  if ("failure" in directory) return `the working directory ${cwd} cannot be entered`;
  if (!directory.isDirectory()) return `the working directory ${cwd} is not a directory`;
  if (!allows(cwd, constants.X_OK)) return `the working directory ${cwd} cannot be entered`;
  const link = lookAt(path, lstatSync);
  if (link === undefined) return "the file no longer exists";
  const file = lookAt(path);
  if (file === undefined) return `link target missing: ${targetOf(path)}`;
  if ("failure" in file) return `it cannot be reached: ${file.failure}`;
  if (!file.isFile()) return "it is not a regular file";
  const problem = executionProblem(path);
  return problem && `${problem.why}. To fix it: ${problem.remedy}`;
}

function explainScript(path: string): string | undefined {
  const line = readFirstLine(path);
  if (line === undefined) return undefined;
  if (line.isCrlf) return crlf;
  const { interpreter } = line;
  if (interpreter === "") return "its #! line names no interpreter";
  const file = lookAt(interpreter);
  if (file === undefined) return `its interpreter ${interpreter} is missing`;
  if ("failure" in file) return `its interpreter ${interpreter} cannot be reached: ${file.failure}`;
  return allows(interpreter, constants.X_OK) ? undefined : `its interpreter ${interpreter} is not executable`;
}

const crlf = "CRLF line ending in its #! line; save the file with LF line endings";

/** The exit code of `env` if there is no program of the name in the #! line, which ends in a carriage return in a CRLF file. */
const notFoundExitCode = 127;

/** Explains why `env` has not started a script; `undefined` if it has found the program. @param searchPath its PATH. */
export function explainEnvFailure(
  path: string,
  exitCode: number | null | undefined,
  searchPath: string,
): string | undefined {
  const { program, isCrlf } = (exitCode === notFoundExitCode && readFirstLine(path)) || {};
  if (program === undefined) return undefined;
  if (isCrlf) return crlf;
  const isFound = program.includes("/") || searchPath.split(delimiter).some((place) => isProgram(join(place, program)));
  return isFound ? undefined : `its interpreter ${program} is not on your PATH outside the project; install it`;
}

/** Interpreters that take the options after a script's name for their own. */
const optionEaters = ["awk", "gawk", "mawk", "nawk", "make", "gmake", "sed"];

/** Processors by their number in an ELF header, as `process.arch` and as people call them. */
const machines: Readonly<Record<number, { readonly arch: NodeJS.Architecture; readonly name: string }>> = {
  3: { arch: "ia32", name: "i386" },
  40: { arch: "arm", name: "arm" },
  62: { arch: "x64", name: "x86_64" },
  183: { arch: "arm64", name: "aarch64" },
  243: { arch: "riscv64", name: "riscv64" },
};

/** Says that a program which failed is for another processor; `undefined` if it is not, or if that is unknown. */
export function explainForeignProgram(path: string): string | undefined {
  const head = readHead(path);
  if (!head || head.length < 20 || head.toString("latin1", 0, 4) !== "\x7fELF") return undefined;
  const machine = machines[head[5] === 2 ? head.readUInt16BE(18) : head.readUInt16LE(18)];
  const own = Object.values(machines).find(({ arch }) => arch === process.arch)?.name ?? process.arch;
  if (machine === undefined || machine.name === own) return undefined;
  return `it is a program for ${machine.name}; this machine is ${own}`;
}

/** Says that the interpreter of a script which failed has taken `--schema` for itself; `undefined` for other files. */
export function explainTakenOption(path: string): string | undefined {
  const { interpreter = "", program = interpreter } = readFirstLine(path) ?? {};
  const name = basename(program);
  if (!optionEaters.includes(name)) return undefined;
  return `${name} takes --schema for an option of its own; start the tool with #!/bin/sh, and ${name} with exec`;
}

/** Stats of a path; `undefined` if it does not exist, a failure if that cannot be determined. */
function lookAt(path: string, stat: typeof statSync | typeof lstatSync = statSync): Stats | Failure | undefined {
  try {
    return stat(path, { throwIfNoEntry: false });
  } catch (error) {
    return { failure: systemReason(error as NodeJS.ErrnoException) };
  }
}

interface Failure {
  /** The end of a sentence. */
  readonly failure: string;
}

function targetOf(path: string): string {
  try {
    return readLink(path);
  } catch {
    return path;
  }
}

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns why a file must not even be started: it looks neither like a program nor like text. The system hands unknown files
 * to a shell, which would run arbitrary bytes as commands.
 */
export function fileObstacle(path: string): string | undefined {
  const head = readHead(path);
  // Executable but unreadable: let the system decide.
  if (head === undefined || programMagic.includes(head.toString("hex", 0, 4))) return undefined;
  if (head.length === 0) return "it is empty";
  return head.includes(0) ? "it is neither a program nor a script" : undefined;
}

/** ELF; Mach-O 64-bit, Mach-O 32-bit, and Mach-O universal. */
const programMagic: readonly string[] = ["7f454c46", "cffaedfe", "cefaedfe", "cafebabe"];
