// Completes slash commands, their arguments and the names of files.

import { lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import type { Completions } from "@ikigai/screen";
import { rankMatches, sanitiseLine } from "@ikigai/screen";
import { isInside, readRegularFile } from "@ikigai/system";
import type { Ignore } from "ignore";
import { commandCalled } from "../../session/commands/find-command.ts";
import type { FileIndex, Tui, TuiCommand } from "../app/tui.ts";

const maxItems = 50;

/** Completes the text before the cursor: a slash command, its argument, or a file after `@`. */
export async function complete(
  before: string,
  {
    isFirstLine,
    isForced,
    tui,
  }: {
    isFirstLine: boolean;
    isForced: boolean;
    tui: Tui;
  },
): Promise<Completions | undefined> {
  const { files } = tui;
  const [, mention] = /(?:^|\s)@("[^"]*|\S*)$/.exec(before) ?? [];
  if (mention !== undefined) return completeFile(mention, `@${mention}`, files, "@");
  if (isFirstLine && /^\/\S*$/.test(before)) return completeCommand(before, tui);
  const [, name, argument] = (isFirstLine && /^\/(\S+)\s+(.*)$/.exec(before)) || [];
  if (name !== undefined && argument !== undefined) {
    return completeArgument(argument, commandCalled(name, tui.commands()), tui);
  }
  const word = before.split(/\s/).at(-1) ?? "";
  return isForced && word !== "" ? completeFile(word, word, files, "") : undefined;
}

/** Completes a command. Custom ones are loaded again: a file may have been written a moment ago. */
async function completeCommand(typed: string, tui: Tui): Promise<Completions> {
  const isKnown = tui.commands().some(({ name }) => name.startsWith(typed.slice(1)));
  if (typed === "/" || !isKnown) await tui.loadCommands();
  return commandsLike(typed, tui.commands());
}

function commandsLike(typed: string, commands: readonly TuiCommand[]): Completions {
  const wanted = typed.slice(1);
  const starting = commands.filter(({ name }) => name.startsWith(wanted));
  const others = commands.filter(({ aliases }) => aliases?.some((alias) => alias.startsWith(wanted)));
  const known = starting.length > 0 ? starting : others;
  const found = known.length > 0 ? known : rankMatches(commands, wanted, ({ name }) => name);
  const items = found.map(({ name, parameters, summary }) => ({
    value: `/${name}`,
    label: `/${name}${parameters === undefined ? "" : ` ${parameters}`}`,
    description: summary,
  }));
  // Enter must not run a command that only has these letters somewhere.
  return { items, prefix: typed, isCommand: true, isLoose: known.length === 0 };
}

async function completeArgument(
  typed: string,
  command: TuiCommand | undefined,
  tui: Tui,
): Promise<Completions | undefined> {
  const candidates = await command?.complete?.(tui);
  if (!candidates) return undefined;
  const items = rankMatches(candidates, typed, (candidate) => candidate).slice(0, maxItems);
  // A complete argument needs no list.
  if (items.length === 1 && items[0] === typed) return undefined;
  return {
    items: items.map((value) => ({ value, label: sanitiseLine(value) })),
    prefix: typed,
    isCommand: true,
    isLoose: !items.some((item) => item.startsWith(typed)),
  };
}

async function completeFile(typed: string, prefix: string, files: FileIndex, sign: string): Promise<Completions> {
  const wanted = typed.replace(/^"/, "");
  const found = rankFiles(await files(), wanted).slice(0, maxItems);
  const items = found.map((path) => {
    // A directory ~ of the project is not the user's home.
    const written = path.startsWith("~") ? `./${path}` : path;
    // A name with a space is quoted.
    return { value: /\s/.test(path) ? `${sign}"${written}"` : `${sign}${written}`, label: sanitiseLine(path) };
  });
  return { items, prefix, isWhole: items[0]?.value === prefix };
}

const testPath = /(?:^|[/._-])(?:tests?|spec|__tests__)(?:[/._-]|$)/i;

/** The files that match, best first: those whose name begins with what is wanted or has it, sources before tests and short paths first. */
export function rankFiles(paths: readonly string[], wanted: string): string[] {
  const matching = rankMatches(paths, wanted, (path) => path);
  const text = wanted.toLowerCase();
  const named = matching.flatMap((path) => {
    const at = (text.includes("/") ? path : basename(path)).toLowerCase().indexOf(text);
    return at < 0 ? [] : [{ path, rank: 2 * Math.min(at, 1) + (testPath.test(path) ? 1 : 0) }];
  });
  if (text === "" || named.length === 0) return matching;
  named.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length);
  return [...new Set([...named.map(({ path }) => path), ...matching])];
}

/** Files listed at most. */
const maxFiles = 20_000;

/** How long a list is cached, in milliseconds. */
const freshMs = 5_000;

/** Ignore rules that apply below a directory. */
interface Rules {
  readonly below: string;
  readonly rules: Ignore;
}

/**
 * Lists the files below a directory, which may change, except hidden ones and those that .gitignore excludes. Runs nothing.
 *
 * @param added returns other directories of the project, now
 */
export function openFileIndex(directory: () => string, added: () => readonly string[] = () => []): FileIndex {
  let listed: Promise<readonly string[]> | undefined;
  let listedMs = 0;
  let root: string | undefined;
  return () => {
    if (!listed || root !== directory() || performance.now() - listedMs > freshMs) {
      listedMs = performance.now();
      const here = directory();
      root = here;
      const others = added().filter((one) => !isInside(here, one));
      const below = others.map(async (one) => (await list(one)).map((path) => join(relative(here, one), path)));
      listed = Promise.all([list(here), ...below]).then((lists) => lists.flat());
    }
    return listed;
  };
}

async function list(root: string): Promise<string[]> {
  const found: string[] = [];
  let level: { path: string; rules: readonly Rules[] }[] = [{ path: "", rules: await excluded(root) }];
  while (level.length > 0 && found.length < maxFiles) {
    const next: typeof level = [];
    for (const directory of level) {
      if (found.length >= maxFiles) break;
      next.push(...(await listDirectory(root, directory, found)));
    }
    level = next;
  }
  return found;
}

async function listDirectory(
  root: string,
  { path, rules }: { path: string; rules: readonly Rules[] },
  found: string[],
) {
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => []);
  const own = entries.some(({ name }) => name === ".gitignore") ? await readRules(root, path, ".gitignore") : [];
  const all = [...rules, ...own];
  const directories: { path: string; rules: readonly Rules[] }[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith(".") && entry.name !== ".github") continue;
    const isDirectory = entry.isDirectory();
    const entryPath = `${path}${entry.name}${isDirectory ? "/" : ""}`;
    if (isIgnored(entryPath, all)) continue;
    found.push(entryPath);
    if (isDirectory) directories.push({ path: entryPath, rules: all });
  }
  return directories;
}

async function excluded(root: string): Promise<Rules[]> {
  return readRules(root, "", ".git/info/exclude");
}

async function readRules(root: string, below: string, name: string): Promise<Rules[]> {
  const text = textOf(join(root, below, name));
  if (text === undefined) return [];
  const { default: ignore } = await import("ignore");
  return [{ below, rules: ignore().add(text) }];
}

/** Far more than a person writes, in bytes. */
const maxIgnoreBytes = 1_048_576;

/** Does not follow a link, as git does not: it may lead to a device. */
function textOf(path: string): string | undefined {
  try {
    return lstatSync(path).isFile() ? readRegularFile(path, maxIgnoreBytes).toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** The nearest directory with a matching rule decides, as in git. */
function isIgnored(path: string, rules: readonly Rules[]): boolean {
  for (const { below, rules: own } of rules.toReversed()) {
    const { ignored, unignored } = own.test(path.slice(below.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}
