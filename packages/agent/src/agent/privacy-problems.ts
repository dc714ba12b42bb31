// The user's files that others can read or change, in sentences with the fix. First what is private, which every start checks; then
// all programs and instructions, which `ikigai doctor` checks.

import { accessSync, constants, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { AgentError, sessionFiles, sessionsDir } from "@ikigai/session";
import { otherWriter, ownerProblem, readEntries, shellWord, statsOf, takingOver, writerRemedy } from "@ikigai/system";
import { credentialsPath } from "../config/credentials.ts";
import { configPath, readConfig } from "../config/read-config.ts";

/** The mode of a private directory. */
const directoryMode = 0o700;

/** Any permission for group or others. */
const anyAccess = 0o077;

/** Write permission for group or others. */
const writeAccess = 0o022;

/**
 * Lists the user's private files that others may read or change, one sentence each with the fix; or only the directory that belongs to
 * another user and cannot be used. `config.json` is private
 * only if it holds a key; `loadConfig` checks who may change it. Others may list the directory itself, as `mkdir -p ~/.ikigai/tools`
 * leaves it, because everything private in it has a mode of its own.
 */
export function privacyProblems(home: string): string[] {
  const sessions = sessionsDir(home);
  const owner = foreignProblem(home);
  if (owner !== undefined) return [owner];
  return [
    ...["", "tools", "hooks", "projects"].map((name) => problemOf(join(home, name), directoryMode, writeAccess)),
    problemOf(join(home, "data"), directoryMode, anyAccess),
    problemOf(join(home, "history.jsonl"), 0o600, anyAccess),
    problemOf(sessions, directoryMode, anyAccess),
    ...sessionsIn(home).map((path) => problemOf(path, 0o600, anyAccess)),
    keyProblem(home),
    problemOf(credentialsPath(home), 0o600, anyAccess),
  ].filter((problem) => problem !== undefined);
}

/** Limit of notices to print; `ikigai doctor` lists all. */
const maxNotices = 2;

/** The first of these problems, and how many more there are. */
export function privacyNotices(home: string): string[] {
  const problems = privacyProblems(home);
  const more = problems.length - maxNotices;
  return [...problems.slice(0, maxNotices), ...(more > 0 ? [`${more} more like this: ikigai doctor`] : [])];
}

/** The first directory that belongs to another user and cannot be used, as after a start with sudo. */
function foreignProblem(home: string): string | undefined {
  for (const name of ["", "sessions", "cache", "data", "tools", "hooks", "projects"]) {
    const path = join(home, name);
    const needed = ["tools", "hooks"].includes(name) ? constants.R_OK : constants.W_OK;
    if (isDenied(path, needed | constants.X_OK)) return ownerProblem(path, home);
  }
  return undefined;
}

function isDenied(path: string, needed: number): boolean {
  // Without an exception for a directory that is missing.
  if (statsOf(path) === undefined) return false;
  try {
    accessSync(path, needed);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES";
  }
}

/** None if their directory cannot be read: no session is saved then, which is reported as such. */
function sessionsIn(home: string): string[] {
  try {
    return sessionFiles(home);
  } catch (error) {
    if (error instanceof AgentError) return [];
    throw error;
  }
}

function keyProblem(home: string): string | undefined {
  const path = configPath(home);
  const problem = problemOf(path, 0o600, anyAccess);
  // A directory is reported where it is read.
  return problem !== undefined && statSync(path).isFile() && readConfig(home).holdsKey ? problem : undefined;
}

function problemOf(path: string, wanted: number, refused: number): string | undefined {
  const { mode, uid } = stateOf(path);
  if ((mode & refused) === 0) return undefined;
  if (wanted === directoryMode && !statSync(path).isDirectory())
    return `${path} is not a directory. Move it away, so that ikigai can create the directory.`;
  const what = (mode & writeAccess) === 0 ? "access" : "write to";
  const commands = [takingOver(path, uid), `chmod ${wanted.toString(8)} ${shellWord(path)}`];
  return `Other users can ${what} ${path} (mode ${mode.toString(8)}). Run: ${commands.filter(Boolean).join(" && ")}`;
}

function stateOf(path: string): { readonly mode: number; readonly uid: number | undefined } {
  const { mode = 0, uid } = statsOf(path) ?? {};
  return { mode: mode & 0o777, uid };
}

/**
 * What holds programs, instructions, or what ikigai believes about them. What may be large comes last. `trust.json` and `AGENTS.md` are
 * checked where they are read.
 */
const places = [
  ...["keys.json", "tools.json", "mcp-files.json"],
  ...["hooks", "tools", "skills", "agents", "commands", "themes", "projects", "logs", "cache", "packages"],
];

/** `privacyProblems` names these directories themselves, at every start. */
const namedElsewhere = new Set(["tools", "hooks", "projects"]);

/** Far above what people add; takes less than a second. */
const maxFiles = 20_000;

/** As many in one place are one sentence each; more are one sentence. */
const maxNamed = 3;

/** Everything about files that others may read or change, one sentence each, or who owns the directory. */
export function fileProblems(home: string): string[] {
  return [...privacyProblems(home), ...looseFiles(home)];
}

/**
 * Lists what other users can change of the user's programs and instructions, with the fix, in sentences. Looks at every file, which
 * is too slow for every start. Checks what a link leads to, but nothing below it.
 */
export function looseFiles(home: string): readonly string[] {
  const search: Search = { left: maxFiles, isCut: false, found: [], writers: new Map() };
  const problems = places.flatMap((name) => {
    const top = join(home, name);
    search.found = [];
    look(top, search);
    return sentences(
      top,
      search.found.filter(({ path }) => path !== top || !namedElsewhere.has(name)),
    );
  });
  if (!search.isCut) return problems;
  return [...problems, `${home} has more than ${maxFiles} files. Who can write the others was not checked.`];
}

interface LooseFile {
  readonly path: string;
  readonly isLink: boolean;
  /** Who can write it, as `otherWriter` says. */
  readonly writer: string;
  /** Its owner. */
  readonly uid: number;
}

interface Search {
  left: number;
  /** Whether there are more files. */
  isCut: boolean;
  found: LooseFile[];
  /** What `otherWriter` said of an owner, a group and a mode: it reads the list of groups each time. */
  readonly writers: Map<string, string | undefined>;
}

function look(path: string, search: Search, isLink = false): void {
  const stats = search.isCut ? undefined : statsOf(path);
  // What cannot be reached is reported where it is read. Others write to a socket or a terminal as they may.
  if (stats === undefined || !(stats.isFile() || stats.isDirectory())) return;
  search.isCut = search.left === 0;
  if (search.isCut) return;
  search.left -= 1;
  const writer = writerOf(stats, search);
  if (writer !== undefined) search.found.push({ path, isLink, writer, uid: stats.uid });
  if (isLink || !stats.isDirectory()) return;
  for (const entry of entriesOf(path)) look(join(path, entry.name), search, entry.isSymbolicLink());
}

function writerOf(stats: Stats, { writers }: Search): string | undefined {
  const key = `${stats.uid} ${stats.gid} ${stats.mode}`;
  if (!writers.has(key)) writers.set(key, otherWriter(stats));
  return writers.get(key);
}

function entriesOf(directory: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(directory);
  } catch {
    return [];
  }
}

/** Describes what is wrong with each file, or with many that have the same remedy. */
function sentences(top: string, found: readonly LooseFile[]): string[] {
  // chmod -R follows no link.
  const [links, own] = [found.filter(({ isLink }) => isLink), found.filter(({ isLink }) => !isLink)];
  return [
    ...[...new Set(own.map(({ uid }) => uid))].flatMap((uid) =>
      together(
        own.filter((file) => file.uid === uid),
        top,
        `To fix it: ${writerRemedy(top, { uid }, true)}`,
      ),
    ),
    ...together(links, top, "Remove these links, or change the modes of their targets."),
  ];
}

function together(files: readonly LooseFile[], top: string, remedy: string): string[] {
  const [first] = files;
  if (first === undefined || files.length <= maxNamed)
    return files.map(({ path, writer, uid }) => `${path} ${writer}. To fix it: ${writerRemedy(path, { uid })}`);
  return [`${first.path} ${first.writer}, like ${files.length - 1} others below ${top}. ${remedy}`];
}
