import { isUtf8 } from "node:buffer";
import { closeSync, fstatSync, readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { openRegularFile, systemReason } from "@ikigai/system";
import { type ConfigFault, type ConfiguredServer, readServerConfig } from "./read-server-config.ts";

/** The servers of a file, and the state in which it was read. */
export interface ServerConfigFile {
  readonly servers: readonly ConfiguredServer[];
  /** The directory of the project that it belongs to. */
  readonly directory: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** The longest file, in bytes: `~/.claude.json` also has a history, of several MB. */
const maxFileBytes = 16_777_216;

/** The directories of a project in which editors keep their files. */
const editorDirectories = [".cursor", ".vscode"];

/**
 * Reads a configuration file with MCP servers. Never throws and never blocks: anything but a file with servers is a fault.
 *
 * @param path absolute, or relative to the working directory.
 * @param projectDir the current project.
 */
export function readServerConfigFile(path: string, projectDir: string): ServerConfigFile | ConfigFault {
  let fd: number | undefined;
  try {
    fd = openRegularFile(path);
    if (fd === undefined) return { problem: "It is not a regular file." };
    const { size, mtimeMs } = fstatSync(fd);
    if (size > maxFileBytes) return { problem: `It has ${size} bytes, at most ${maxFileBytes} can be read.` };
    const bytes = readFileSync(fd);
    if (!isUtf8(bytes)) return { problem: "It is not UTF-8. Save it as UTF-8." };
    const directory = directoryOf(path);
    const read = readServerConfig(bytes.toString("utf8"), { directory, projectDir });
    return "problem" in read ? read : { ...read, directory, size, mtimeMs };
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    if (failure.code === undefined) throw error;
    return { problem: `${systemReason(failure)}.`, isUnreadable: true };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The directory of the project that a file belongs to. */
function directoryOf(path: string): string {
  const own = dirname(resolve(path));
  return editorDirectories.includes(basename(own)) ? dirname(own) : own;
}

/** A fault in words: `FILE:LINE:COLUMN: what is wrong`, or `Cannot read FILE: why`. */
export function renderConfigFault(path: string, { problem, place, isUnreadable }: ConfigFault): string {
  if (isUnreadable) return `Cannot read ${path}: ${problem}`;
  return `${path}${place === undefined ? "" : `:${place.line}:${place.column}`}: ${problem}`;
}
