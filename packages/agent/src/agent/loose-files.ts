import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { otherWriter, readEntries, shellWord } from "@ikigai/system";

/** What holds programs, instructions, or what ikigai believes about them. What may be large comes last. `trust.json` is checked where it is read. */
const places = [
  ...["AGENTS.md", "keys.json", "tools.json", "mcp-files.json"],
  ...["hooks", "tools", "skills", "agents", "commands", "themes", "projects", "logs", "cache", "packages"],
];

/** `privacyProblems` names these directories themselves, at every start. */
const namedElsewhere = new Set(["tools", "hooks", "projects"]);

/** Far above what people add; takes less than a second. */
const maxFiles = 20_000;

/** As many in one place are one sentence each; more are one sentence. */
const maxNamed = 3;

/**
 * Lists what other users can change of the user's programs and instructions, with the fix, in sentences. Looks at every file, which
 * is too slow for every start. Checks what a link leads to, but nothing below it.
 */
export function looseFiles(home: string): readonly string[] {
  const search: Search = { left: maxFiles, found: [], writers: new Map() };
  const problems = places.flatMap((name) => {
    const top = join(home, name);
    search.found = [];
    look(top, search);
    return sentences(
      top,
      search.found.filter(({ path }) => path !== top || !namedElsewhere.has(name)),
    );
  });
  if (search.left > 0) return problems;
  return [...problems, `${home} has more than ${maxFiles} files. Who can write the others was not checked.`];
}

interface LooseFile {
  readonly path: string;
  readonly isLink: boolean;
  /** Who can write it, as `otherWriter` says. */
  readonly writer: string;
  /** Whether its mode allows that, not its owner. */
  readonly isOpen: boolean;
}

interface Search {
  left: number;
  found: LooseFile[];
  /** What `otherWriter` said of an owner, a group and a mode: it reads the list of groups each time. */
  readonly writers: Map<string, string | undefined>;
}

function look(path: string, search: Search, isLink = false): void {
  if (search.left <= 0) return;
  search.left -= 1;
  const stats = statsOf(path);
  // Others write to a socket or a terminal as they may.
  if (stats === undefined || !(stats.isFile() || stats.isDirectory())) return;
  const writer = writerOf(stats, search);
  const isOpen = stats.uid === (process.geteuid?.() ?? stats.uid) || stats.uid === 0;
  if (writer !== undefined) search.found.push({ path, isLink, writer, isOpen });
  if (isLink || !stats.isDirectory()) return;
  for (const entry of entriesOf(path)) look(join(path, entry.name), search, entry.isSymbolicLink());
}

function writerOf(stats: Stats, { writers }: Search): string | undefined {
  const key = `${stats.uid} ${stats.gid} ${stats.mode}`;
  if (!writers.has(key)) writers.set(key, otherWriter(stats));
  return writers.get(key);
}

/** Without an exception for what is missing, as most is. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // What cannot be reached is reported where it is read.
    return undefined;
  }
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
  const links = found.filter(({ isLink }) => isLink);
  const own = found.filter(({ isLink }) => !isLink);
  return [
    ...together(
      own.filter(({ isOpen }) => isOpen),
      { top, remedy: remedyOf({ path: top, isOpen: true }, "-R ") },
    ),
    ...together(
      own.filter(({ isOpen }) => !isOpen),
      { top, remedy: remedyOf({ path: top, isOpen: false }, "-R ") },
    ),
    ...together(links, { top, remedy: "Remove these links, or change the modes of their targets." }),
  ];
}

function together(files: readonly LooseFile[], { top, remedy }: { top: string; remedy: string }): string[] {
  const [first] = files;
  if (first === undefined || files.length <= maxNamed)
    return files.map((file) => `${file.path} ${file.writer}. ${remedyOf(file)}`);
  return [`${first.path} ${first.writer}, like ${files.length - 1} others below ${top}. ${remedy}`];
}

function remedyOf({ path, isOpen }: Pick<LooseFile, "path" | "isOpen">, option = ""): string {
  const words = `${option}${isOpen ? "go-w" : "$USER"} ${shellWord(path)}`;
  return isOpen ? `Run: chmod ${words}` : `Remove it, or read it and make it yours: sudo chown ${words}`;
}
