// Which files git ignores, decided without running it: `.gitignore` files from the repository's root down to a directory,
// `.git/info/exclude` and the user's `core.excludesFile`, later and deeper ones first; and no tracked file. Directories of version control
// and `node_modules` are ignored everywhere, as if a last file said so. Names and paths are bytes, one in each UTF-16 unit.
import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { readRegularFile } from "@ikigai/system";
import { readTrackedFiles, type TrackedFiles } from "./index-file.ts";
import { type Repository, repositoryAt } from "./repository.ts";
import { wildmatch } from "./wildmatch.ts";

/** What a directory's entries are called, for finding the files with rules among them. */
export interface Names {
  has(name: string): boolean;
}

/** The rules that apply to the entries of a directory. */
export interface Ignores {
  /** Whether an entry is ignored. A directory is not if a file below it is tracked. */
  ignores(name: string, isDirectory: boolean): boolean;
  /** Whether the rules are against a directory, even if a file below it is tracked. */
  rulesOut(name: string): boolean;
  /** The rules of a directory in this one. */
  below(name: string, names: Names): Ignores;
}

/** Returns the rules for a directory; `undefined` if it, or one that it is in, is ignored: a caller that names it wants all of it. */
export function ignoresIn(directory: string, env: NodeJS.ProcessEnv = process.env): Ignores | undefined {
  const tops = directoriesAbove(realPathOf(directory));
  const rootAt = tops.findLastIndex((at) => exists(`${at}/.git`) && repositoryAt(pathOf(at)) !== undefined);
  const open: OpenPlace = (repository) => (repository === undefined ? noPlace : openPlace(repository, env));
  let rules: Rules = Rules.outside;
  for (let at = Math.max(rootAt, 0); at < tops.length; at++) {
    const top = tops[at] ?? "";
    const names = { has: (name: string) => exists(`${top}/${name}`) };
    if (at === rootAt || (rootAt < 0 && at === 0)) rules = Rules.at(top, names, open);
    else {
      const name = top.slice(top.lastIndexOf("/") + 1);
      if (name === ".git" || rules.isRuledOut(name)) return undefined;
      rules = rules.below(name, names);
    }
  }
  return rules;
}

/**
 * Returns the rules with which git lists new files for undo: those of `.gitignore`, `.git/info/exclude` and this file, in any directory,
 * and for tracked files, too.
 */
export function listingRules(root: string, names: Names, excludes: string | undefined): Ignores {
  const open: OpenPlace = (repository) => ({
    lists: readLists([excludes, repository && join(repository.commonDir, "info/exclude")]),
    ignoreCase: false,
    usual: new Set(),
    tracked: () => undefined,
  });
  return Rules.at(root, names, open);
}

/** The real path of a directory, whatever is missing of it. */
function realPathOf(directory: string): string {
  try {
    return realpathSync.native(directory, "buffer").toString("latin1");
  } catch {
    return toBytes(resolve(directory));
  }
}

/** `/a/b` is in ``, `/a` and `/a/b`. */
function directoriesAbove(path: string): string[] {
  const names = path.split("/").filter(Boolean);
  return Array.from({ length: names.length + 1 }, (_, count) =>
    names
      .slice(0, count)
      .map((name) => `/${name}`)
      .join(""),
  );
}

function pathOf(bytes: string): string {
  return Buffer.from(bytes || "/", "latin1").toString();
}

function exists(bytes: string): boolean {
  try {
    return lstatSync(Buffer.from(bytes, "latin1"), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** A repository that files are in, and what holds in all of it. */
interface Place {
  /** The rules for all directories, the weakest first. */
  readonly lists: readonly RuleList[];
  readonly ignoreCase: boolean;
  /** Directories that are ignored unless a rule says otherwise or a file in them is tracked. */
  readonly usual: ReadonlySet<string>;
  /** Read when a rule first ignores something. */
  readonly tracked: () => TrackedFiles | undefined;
}

/** How a directory with or without a repository gets its `Place`. */
type OpenPlace = (repository: Repository | undefined) => Place;

const usual = new Set([".hg", ".svn", "node_modules"]);

const noPlace: Place = { lists: [], ignoreCase: false, usual, tracked: () => undefined };

/** The rules of one directory. */
class Rules implements Ignores {
  static readonly outside = new Rules(noPlace, "", "", [], false, () => noPlace);
  private readonly place: Place;
  /** The directory, absolute, without a slash at its end. */
  private readonly directory: string;
  /** The same from the repository's root on, with a slash at its end unless it is empty. */
  private readonly prefix: string;
  /** The weakest first. */
  private readonly lists: readonly RuleList[];
  /** Whether the directory is ignored: only tracked files count. */
  private readonly isIgnored: boolean;
  private readonly open: OpenPlace;

  private constructor(
    place: Place,
    directory: string,
    prefix: string,
    lists: readonly RuleList[],
    isIgnored: boolean,
    open: OpenPlace,
  ) {
    this.place = place;
    this.directory = directory;
    this.prefix = prefix;
    this.lists = lists;
    this.isIgnored = isIgnored;
    this.open = open;
  }

  /** The rules at the root of a repository, or of a directory outside of one. */
  static at(directory: string, names: Names, open: OpenPlace): Rules {
    const place = open(names.has(".git") ? repositoryAt(pathOf(directory)) : undefined);
    const lists = place === noPlace ? [] : withOwn(place.lists, directory, "", names);
    return new Rules(place, directory, "", lists, false, open);
  }

  ignores(name: string, isDirectory: boolean): boolean {
    if (name === ".git") return true;
    if (!this.isIgnored && !this.isRuledOut(name, isDirectory)) return false;
    const tracked = this.place.tracked();
    if (tracked === undefined) return true;
    const path = this.prefix + name;
    return !tracked.has(path) && !(isDirectory && tracked.hasBelow(path));
  }

  rulesOut(name: string): boolean {
    return this.isIgnored || this.isRuledOut(name);
  }

  below(name: string, names: Names): Rules {
    const directory = `${this.directory}/${name}`;
    if (names.has(".git") && repositoryAt(pathOf(directory))) return Rules.at(directory, names, this.open);
    const { place, lists } = this;
    const prefix = `${this.prefix}${name}/`;
    const isIgnored = this.isIgnored || this.isRuledOut(name);
    const own = place === noPlace || isIgnored ? lists : withOwn(lists, directory, prefix, names);
    return new Rules(place, directory, prefix, own, isIgnored, this.open);
  }

  /** Whether the rules ignore an entry, tracked or not. */
  isRuledOut(name: string, isDirectory = true): boolean {
    for (let index = this.lists.length - 1; index >= 0; index--) {
      const verdict = this.lists[index]?.verdict(this.prefix, name, isDirectory, this.place.ignoreCase);
      if (verdict !== undefined) return verdict;
    }
    return isDirectory && this.place.usual.has(name);
  }
}

function withOwn(lists: readonly RuleList[], directory: string, prefix: string, names: Names): readonly RuleList[] {
  if (!names.has(".gitignore")) return lists;
  const own = RuleList.read(`${directory}/.gitignore`, prefix, false);
  return own ? [...lists, own] : lists;
}

function openPlace(repository: Repository, env: NodeJS.ProcessEnv): Place {
  const config = configOf(repository, env);
  let tracked: TrackedFiles | undefined;
  return {
    lists: readLists([config.excludesFile, join(repository.commonDir, "info/exclude")]),
    ignoreCase: config.ignoreCase,
    usual,
    tracked: () => {
      tracked ??= readTrackedFiles(repository);
      return tracked;
    },
  };
}

/** The rules for all directories in files of the user. */
function readLists(files: readonly (string | undefined)[]): RuleList[] {
  return files.flatMap((file) => (file === undefined ? [] : (RuleList.read(toBytes(file), "", true) ?? [])));
}

function toBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** A rule: one line of a file. */
interface Rule {
  readonly isNegative: boolean;
  readonly isForDirectories: boolean;
  /** Whether it is about names at any depth; otherwise about paths below its file. */
  readonly isName: boolean;
  readonly pattern: string;
  /** How the pattern starts, as it is, and what follows. */
  readonly literal: string;
  readonly rest: string;
  /** What names end with, if the pattern says nothing else. */
  readonly ending: string | undefined;
}

/** The rules of one file. */
class RuleList {
  /** The directory of the file, as `Rules` spells it. */
  private readonly base: string;
  private readonly rules: readonly Rule[];

  private constructor(base: string, rules: readonly Rule[]) {
    this.base = base;
    this.rules = rules;
  }

  /** Reads a file, through a symlink only if it is the user's; `undefined` if it cannot be read, or has no rules. */
  static read(path: string, base: string, followsLink: boolean): RuleList | undefined {
    try {
      const bytes = Buffer.from(path, "latin1");
      if (!(followsLink ? statSync(bytes) : lstatSync(bytes)).isFile()) return undefined;
      const rules = parseRules(readFileSync(bytes, "latin1"));
      return rules.length === 0 ? undefined : new RuleList(base, rules);
    } catch {
      return undefined;
    }
  }

  /** Whether the last rule that matches ignores an entry; `undefined` if none matches. */
  verdict(prefix: string, name: string, isDirectory: boolean, ignoreCase: boolean): boolean | undefined {
    let path: string | undefined;
    for (let index = this.rules.length - 1; index >= 0; index--) {
      const rule = this.rules[index] as Rule;
      if (rule.isForDirectories && !isDirectory) continue;
      if (!rule.isName) path ??= prefix.slice(this.base.length) + name;
      if (rule.isName ? matchesName(rule, name, ignoreCase) : matchesPath(rule, path ?? "", ignoreCase))
        return !rule.isNegative;
    }
    return undefined;
  }
}

function matchesName({ pattern, literal, rest, ending }: Rule, name: string, ignoreCase: boolean): boolean {
  if (!ignoreCase) {
    if (rest === "") return literal === name;
    if (ending !== undefined) return name.endsWith(ending);
  }
  return wildmatch(pattern, name, { isPath: false, ignoreCase });
}

/** Like git, it compares the literal start first: what follows is a pattern of its own, in which `**` may be at the start. */
function matchesPath({ literal, rest }: Rule, path: string, ignoreCase: boolean): boolean {
  if (!path.startsWith(literal)) {
    if (!ignoreCase || lowerCase(path.slice(0, literal.length)) !== lowerCase(literal)) return false;
  }
  return wildmatch(rest, path.slice(literal.length), { isPath: true, ignoreCase });
}

/** As git compares bytes. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function literalLengthOf(pattern: string): number {
  const at = pattern.search(/[*?[\\]/);
  return at < 0 ? pattern.length : at;
}

function parseRules(text: string): Rule[] {
  // The mark of UTF-8 at the start.
  return text
    .replace(/^\xef\xbb\xbf/, "")
    .split("\n")
    .flatMap(parseRule);
}

function parseRule(line: string): Rule | [] {
  if (line === "" || line.startsWith("#")) return [];
  const text = withoutSpaces(line.replace(/\r$/, "").replace(/\0.*$/s, ""));
  const isNegative = text.startsWith("!");
  const whole = isNegative ? text.slice(1) : text;
  const isForDirectories = whole.endsWith("/");
  const pattern = isForDirectories ? whole.slice(0, -1) : whole;
  if (pattern === "") return [];
  const isName = !pattern.includes("/");
  const relative = !isName && pattern.startsWith("/") ? pattern.slice(1) : pattern;
  const literalLength = literalLengthOf(relative);
  const [literal, rest] = [relative.slice(0, literalLength), relative.slice(literalLength)];
  const end = rest.slice(1);
  const ending = literal === "" && rest.startsWith("*") && literalLengthOf(end) === end.length ? end : undefined;
  return { isNegative, isForDirectories, isName, pattern: relative, literal, rest, ending };
}

/** Removes the spaces at the end, except one after a backslash. */
function withoutSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line[at] === " ") continue;
    end = at + 1;
  }
  return line.slice(0, end);
}

/** What the configuration says about ignored files. */
interface IgnoreConfig {
  readonly excludesFile: string | undefined;
  readonly ignoreCase: boolean;
}

/** Reads the system's, the user's and the repository's configuration; the last value counts. Files that it includes are not read. */
function configOf({ commonDir }: Repository, env: NodeJS.ProcessEnv): IgnoreConfig {
  const home = env.HOME || homedir();
  const xdg = env.XDG_CONFIG_HOME || join(home, ".config");
  const isPlain = env.GIT_CONFIG_NOSYSTEM === "1";
  const files = [
    ...(isPlain ? [] : ["/etc/gitconfig"]),
    ...(env.GIT_CONFIG_GLOBAL === undefined
      ? [join(xdg, "git/config"), join(home, ".gitconfig")]
      : [env.GIT_CONFIG_GLOBAL]),
    join(commonDir, "config"),
  ];
  const core = Object.assign({}, ...files.map((file) => coreSettings(file)));
  const excludesFile = core.excludesfile ?? join(xdg, "git/ignore");
  return {
    excludesFile: excludesFile === "" ? undefined : excludesFile.replace(/^~(?=\/)/, () => home),
    ignoreCase: /^(?:true|yes|on|1)?$/i.test(core.ignorecase ?? "false"),
  };
}

/** The settings of the section `core`, by their names in lower case. */
function coreSettings(file: string): Record<string, string> {
  let text: string;
  try {
    text = readRegularFile(file).toString();
  } catch {
    return {};
  }
  const settings: Record<string, string> = {};
  let section = "";
  for (const line of text.split("\n")) {
    const [, header, rest = line] = /^\s*\[\s*([^\]]*?)\s*\](.*)$/.exec(line) ?? [];
    if (header !== undefined) section = header.toLowerCase();
    const [, name, value] = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*?))?\s*$/.exec(rest) ?? [];
    if (section === "core" && name !== undefined) settings[name.toLowerCase()] = plainValue(value ?? "");
  }
  return settings;
}

/** A value without quotes, escapes and a comment. */
function plainValue(written: string): string {
  const parts = written.matchAll(/"((?:[^"\\]|\\.)*)"|([^"#;]+)|[#;].*/gs);
  return Array.from(parts, ([, quoted, plain]) => (quoted ?? plain ?? "").replace(/\\(.)/gs, "$1"))
    .join("")
    .trim();
}
