// Instruction files, `AGENTS.md` or `CLAUDE.md`, and what the latter imports: the user's, then those from the project's root down to the
// working directory. What others could have written is skipped, with a sentence that says why.

import { existsSync, lstatSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isSystemError } from "@ikigai/models";
import { realTarget } from "@ikigai/permission";
import { isInside, otherWriter, readProblem, shellWord, statsOf, userHome, visibleInstructions } from "@ikigai/system";
import { readTextFile } from "../config/read-config.ts";

/** How much of a file is included, in bytes: all of it is part of every request. */
const maxBytes = 32_768;

/** The first one of a directory counts. */
const names = ["AGENTS.md", "CLAUDE.md"];

/** The user's own for a directory, which git should ignore: it comes after the others. */
const localName = "CLAUDE.local.md";

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
 * `AGENTS.md` may have `CLAUDE.md` instead. Each directory may have `CLAUDE.local.md`, too.
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
  const own = home === undefined ? [] : [readIn(home, { root: home, all: home })];
  const rootOf = (directory: string) => all.find((one) => one.path.includes(directory))?.path[0] ?? directory;
  const found = [...own, ...path.map((directory) => readIn(directory, { root: rootOf(directory) }))];
  const files = new Map(found.flatMap((one) => one.files.map((file) => [file.path, file] as const)));
  return { files: [...files.values()], refused: [...refused, ...found.flatMap((one) => one.refused)] };
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
  return [...names, localName]
    .map((name) => join(directory, name))
    .filter(isThere)
    .map((path) => `Skipped ${path}: its directory ${writer}`);
}

interface Found {
  readonly file?: Instructions;
  readonly refused?: readonly string[];
}

/** Where imports may lead, and the directory that an error about access is about. */
interface Bounds {
  readonly root: string;
  readonly all?: string;
}

function readIn(directory: string, bounds: Bounds): FoundInstructions {
  const present = [...names, localName].filter((name) => isThere(join(directory, name)));
  const writer = present.length > 0 ? writerOf(directory) : undefined;
  if (writer !== undefined) return { files: [], refused: refusals(directory, writer) };
  const refused: string[] = [];
  const files: Instructions[] = [];
  for (const name of present) {
    if (name !== localName && files.length > 0) continue;
    const read = readOne(directory, name, bounds.all);
    refused.push(...(read.refused ?? []));
    if (!read.file) continue;
    files.push(read.file);
    if (name === names[0]) continue;
    const imported = importsOf(read.file, bounds, new Set([read.file.path]));
    files.push(...imported.files);
    refused.push(...imported.refused);
  }
  return { files, refused };
}

/** As in Claude Code. */
const maxImportDepth = 5;

/**
 * Reads what a `CLAUDE.md` imports: `@docs/style.md`, from the file's directory, outside of code. Only from the project, or for the user's
 * own from the user's directory; nothing below a hidden directory other than `.claude`, as a clone must not choose which keys are sent.
 *
 * @param seen the files that were read, each of which is read once. @param depth how many files lead there, with this one
 */
function importsOf({ path, text }: Instructions, bounds: Bounds, seen: Set<string>, depth = 1): FoundInstructions {
  const found = { files: [] as Instructions[], refused: [] as string[] };
  if (depth > maxImportDepth) return found;
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1|`[^`\n]*`/gm, "");
  for (const [, name = ""] of prose.matchAll(/(?:^|\s)@([\w./~-]*\w)/g)) {
    const target = resolve(dirname(path), name.replace(/^~(?=\/)/, userHome() ?? "~"));
    if (seen.has(target) || !statsOf(target, statSync)?.isFile()) continue;
    seen.add(target);
    const steps = relative(bounds.root, target).split("/");
    const skip = (why: string) => found.refused.push(`Skipped @${name} in ${path}: ${why}`);
    if (steps[0] === "..")
      skip("it is outside the project. To use it, put a copy into the project or ~/.ikigai/AGENTS.md.");
    else if (steps.some((step) => step.startsWith(".") && step !== ".claude")) skip("it is hidden.");
    else {
      const { file, refused = [] } = readOne(bounds.root, steps.join("/"), bounds.all);
      const imported = file ? importsOf({ ...file, path: target }, bounds, seen, depth + 1) : undefined;
      found.files.push(...(file ? [file] : []), ...(imported?.files ?? []));
      found.refused.push(...refused, ...(imported?.refused ?? []));
    }
  }
  return found;
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
