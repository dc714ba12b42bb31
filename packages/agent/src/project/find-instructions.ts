// Instruction files, `AGENTS.md` or `CLAUDE.md`: the user's, then those from the project's root down to the working directory. What
// others could have written is skipped, with a sentence that says why.

import { existsSync, lstatSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isSystemError } from "@ikigai/models";
import { realTarget } from "@ikigai/permission";
import { isInside, otherWriter, readProblem, shellWord, statsOf, visibleInstructions } from "@ikigai/system";
import { readTextFile } from "../config/read-config.ts";

/** How much of a file is included, in bytes: all of it is part of every request. */
const maxBytes = 32_768;

const names = ["AGENTS.md", "CLAUDE.md"];

/** A file with instructions for agents. */
export interface Instructions {
  readonly path: string;
  readonly text: string;
}

/** The instructions in use, and a sentence for each file that is skipped, or has invisible characters, which are left out. */
export interface FoundInstructions {
  readonly files: readonly Instructions[];
  readonly refused: readonly string[];
}

/**
 * Finds the instructions of the user (`AGENTS.md` in their directory) and of the project: from its root, the nearest
 * directory with a `.git`, down to the working directory, because nearer ones are more specific. A directory without
 * `AGENTS.md` may have `CLAUDE.md` instead.
 *
 * Skips what cannot be read, and text that others could have written: a file of another user, a file that others can write, or one in
 * such a directory. The search for the root ends at such a directory. Never throws.
 *
 * @param directories others that count as the project. Their files come before the project's.
 */
export function findInstructions(cwd: string, home?: string, directories: readonly string[] = []): FoundInstructions {
  const all = [...directories, cwd].map(pathTo);
  const refused = all.flatMap((one) => one.refused);
  // Of a directory around several, the last one counts.
  const path = [...new Set(all.flatMap((one) => one.path).reverse())].reverse();
  const found = [...(home === undefined ? [] : [readIn(home, home)]), ...path.map((directory) => readIn(directory))];
  return {
    files: found.flatMap(({ file }) => (file ? [file] : [])),
    refused: [...refused, ...found.flatMap((one) => one.refused ?? [])],
  };
}

/** Returns the directories from a project's root to one in it; only that one if there is no root. */
function pathTo(cwd: string): { readonly path: readonly string[]; readonly refused: readonly string[] } {
  const path: string[] = [];
  for (let directory = cwd; ; directory = dirname(directory)) {
    // The working directory is checked together with its files.
    const writer = directory === cwd ? undefined : writerOf(directory);
    if (writer !== undefined) return { path: [cwd], refused: refusals(directory, writer) };
    path.unshift(directory);
    if (existsSync(join(directory, ".git"))) return { path, refused: [] };
    if (dirname(directory) === directory) return { path: [cwd], refused: [] };
  }
}

/** Why a path's text may be another user's, and what to do. */
function writerOf(path: string, stat: typeof lstatSync | typeof statSync = statSync): string | undefined {
  try {
    const found = stat(path);
    const writer = otherWriter(found);
    // A directory with the sticky bit is meant for everyone, such as /tmp.
    const canChange = found.uid === process.geteuid?.() && (found.mode & 0o1000) === 0;
    return writer && `${writer}.${canChange ? ` If you trust its content: chmod go-w ${shellWord(path)}` : ""}`;
  } catch (error) {
    return readProblem(error as NodeJS.ErrnoException, path);
  }
}

/** Reports the skipped instruction files of a directory. */
function refusals(directory: string, writer: string): string[] {
  return names
    .map((name) => join(directory, name))
    .filter(isThere)
    .map((path) => `Skipped ${path}: its directory ${writer}`);
}

interface Found {
  readonly file?: Instructions;
  readonly refused?: readonly string[];
}

function readIn(directory: string, all?: string): Found {
  const present = names.filter((name) => isThere(join(directory, name)));
  const writer = present.length > 0 ? writerOf(directory) : undefined;
  if (writer !== undefined) return { refused: refusals(directory, writer) };
  const refused: string[] = [];
  for (const name of present) {
    const read = readOne(directory, name, all);
    refused.push(...(read.refused ?? []));
    if (read.file) return { file: read.file, refused };
  }
  return { refused };
}

/** Does not follow a symlink out of the directory: its target would be sent to the provider without a question. */
function readOne(directory: string, name: string, all: string | undefined): Found {
  const file = join(directory, name);
  const skipped = (why: string) => ({ refused: [`Skipped ${file}: ${why}`] });
  const path = realTarget(name, directory);
  const real = realTarget(".", directory);
  if (path === undefined || real === undefined) return skipped("its symlinks cannot be followed.");
  if (!isInside(path, real)) return skipped("it is a symlink out of its directory. To use it, put a copy there.");
  try {
    for (const place of new Set([path, dirname(path)])) {
      const writer = writerOf(place, lstatSync);
      const which = place === path ? "it" : "the directory of its target";
      if (writer !== undefined) return skipped(`${which} ${writer}`);
    }
    const read = readTextFile(path, maxBytes);
    if (read === undefined) return skipped("it is not a regular file.");
    const { text, note: hidden } = visibleInstructions(read.text);
    if (text.trim() === "") return {};
    const note = read.cut ? `\n(The rest of ${basename(name)} is left out: it is longer than ${maxBytes} bytes.)` : "";
    const refused = hidden === undefined ? [] : [`${file} ${hidden}`];
    return { file: { path: file, text: `${text.trim()}${note}` }, refused };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return skipped(`it ${readProblem(error, path, all)}`);
  }
}

/** Whether the name exists, also as a symlink that leads nowhere. */
function isThere(path: string): boolean {
  return statsOf(path, lstatSync) !== undefined;
}
