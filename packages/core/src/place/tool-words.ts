import { closeSync, readSync } from "node:fs";
import type { ToolScope } from "@ikigai/protocol";
import { openRegularFile } from "@ikigai/system";
import { findProgram } from "../process/find-program.ts";
import { pathOutsideProject } from "../process/path-outside-project.ts";

/** What is started for a tool that runs here. */
export interface ToolStart {
  readonly path: string;
  readonly args: readonly string[];
}

/** No first line of a script is longer, in bytes. */
const maxLineBytes = 256;

/**
 * How a tool is started: by its file. Where the project has directories on the PATH, one that begins with
 * `#!/usr/bin/env NAME` would be run by whatever the project calls so; then NAME is looked for elsewhere. A project's own tool
 * is trusted with what it is run by.
 *
 * @returns the end of a sentence as `failure` when there is no such program elsewhere.
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
  // This process shows which Node the user means.
  const program = findProgram(name, searchPath, projectDir) ?? (name === "node" ? process.execPath : undefined);
  if (program !== undefined) return { path: program, args: [...options, path, ...args] };
  return { failure: `${name}, which runs ${path}, is nowhere on your PATH but in the project, if at all; install it` };
}

/** The words behind `env` in a script's first line. */
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
