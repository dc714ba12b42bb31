import { closeSync, readSync } from "node:fs";
import type { ToolScope } from "@ikigai/protocol";
import { openRegularFile } from "@ikigai/system";
import { findProgram } from "../process/find-program.ts";
import { pathOutsideProject } from "../process/path-outside-project.ts";

/** The program and arguments that start a local tool. */
export interface ToolStart {
  readonly path: string;
  readonly args: readonly string[];
}

/** Longest `#!` line that is read, in bytes. */
const maxLineBytes = 256;

/**
 * Decides how a local tool is started: normally by its file. If the PATH contains directories of the project, a script with
 * `#!/usr/bin/env NAME` could run the project's NAME, so NAME is looked up outside the project. A project's own tool is trusted
 * to choose its interpreter.
 *
 * @returns `failure`, the end of a sentence, if there is no such program outside the project.
 */
export function toolWords(
  { path, args }: ToolStart,
  {
    scope,
    env,
    projectDir,
  }: { readonly scope: ToolScope; readonly env: NodeJS.ProcessEnv; readonly projectDir: string },
): ToolStart | { readonly failure: string } {
  const { PATH: searchPath = "" } = env;
  if (scope === "project" || pathOutsideProject(searchPath, projectDir) === searchPath) return { path, args };
  const [name, ...options] = interpreterOf(path);
  if (name === undefined) return { path, args };
  // The user's Node is the one that runs this process.
  const program = findProgram(name, searchPath, projectDir) ?? (name === "node" ? process.execPath : undefined);
  if (program !== undefined) return { path: program, args: [...options, path, ...args] };
  return { failure: `its interpreter ${name} is not on your PATH outside the project; install it` };
}

/** The words after `env` in a script's first line. */
function interpreterOf(path: string): string[] {
  const [, isSplit, words = ""] = /^#!\s*\/usr\/bin\/env\s+(-S\s+)?([^-\s=][^\n]*)\n/.exec(beginOf(path)) ?? [];
  return isSplit === undefined ? [words.trim()].filter((word) => word !== "") : words.trim().split(/\s+/);
}

function beginOf(path: string): string {
  let fd: number | undefined;
  try {
    fd = openRegularFile(path);
    if (fd === undefined) return "";
    const bytes = Buffer.alloc(maxLineBytes);
    return bytes.toString("latin1", 0, readSync(fd, bytes, 0, maxLineBytes, 0));
  } catch {
    return "";
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
