// What all logs amount to, without reading them again: names, turns, usage by hour and changed files. It is kept in one file in the cache; each look
// reads what was written since, and a file that is missing or damaged is written again from the logs.
import { closeSync, fstatSync, readFileSync, readSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { addUsage, noUsage, type Usage } from "@ikigai/models";
import { makePrivateDirectory, openRegularFile } from "@ikigai/system";
import { AgentError } from "../errors.ts";
import { parseLine, type SessionParent } from "../log/events.ts";
import { logSuffix, sessionFiles } from "../log/log.ts";
import { archived, findSession, type SessionSummary, summaryOf } from "./list-sessions.ts";

/** What was used within an hour. */
export interface HourUse {
  /** By model. */
  readonly models: Record<string, Usage>;
  /** By tool: the number of calls, and the length of the answers in characters. */
  readonly tools: Record<string, readonly [calls: number, characters: number]>;
}

/** A session, and what its log says. */
export interface CatalogSession extends SessionSummary {
  readonly path: string;
  /** The name that the user gave, or one of the first message's words; empty without a message. */
  readonly name: string;
  readonly isArchived: boolean;
  readonly turns: number;
  /** The last model; empty before the first answer. */
  readonly model: string;
  /** By hour in UTC, `2026-11-29T10`. */
  readonly hours: Readonly<Record<string, HourUse>>;
  /** The files that file tools have changed. */
  readonly files: readonly string[];
  /** The call that started this session's agent: such a session is in no list, but costs. */
  readonly parent: SessionParent | undefined;
}

/** A log as the file of the catalog has it, without what the head of the log and the directory say. */
interface Entry {
  ino: number;
  /** The end of the last whole line that was read, in bytes. */
  done: number;
  summary: Omit<SessionSummary, "startedAt" | "changedAt" | "bytes"> & { readonly startedAt: string };
  /** Replays, agents, and what ikigai asked itself. */
  isListed: boolean;
  /** One of the first message's words. */
  automaticName: string;
  givenName: string;
  turns: number;
  model: string;
  hours: Record<string, HourUse>;
  files: string[];
  parent?: SessionParent;
}

/** Less is read again as fast as the file is written, in bytes. */
const worthWriting = 1_048_576;

const version = "ikigai sessions 2";

/**
 * Returns all sessions, last changed first, with those of agents and archived ones.
 *
 * @throws AgentError `session_unreadable` if the directory of the sessions exists and cannot be read.
 */
export function sessionCatalog(home: string): CatalogSession[] {
  const file = join(home, "cache", "sessions.index");
  const entries = load(file);
  const kept = new Map<string, Entry>();
  const marks = archived(home);
  const sessions: CatalogSession[] = [];
  let read = 0;
  for (const path of sessionFiles(home)) {
    const name = basename(path);
    const look = follow(path, entries.get(name));
    if (look === undefined) continue;
    read += look.read;
    kept.set(name, look.entry);
    const session = sessionOf(path, look, marks.has(basename(path, logSuffix)));
    if (look.entry.isListed || look.entry.parent) sessions.push(session);
  }
  if (read > worthWriting) store(file, kept);
  return sessions.sort((a, b) => b.changedAt.getTime() - a.changedAt.getTime());
}

function sessionOf(path: string, { entry, changedAt, bytes }: Look, isArchived: boolean): CatalogSession {
  const { id, cwd, startedAt, title, isPrint } = entry.summary;
  const { turns, model, hours, files, parent } = entry;
  const name = entry.givenName || entry.automaticName;
  const times = { startedAt: new Date(startedAt), changedAt };
  return { id, cwd, ...times, title, bytes, isPrint, path, name, isArchived, turns, model, hours, files, parent };
}

/** What sessions used, by model. @param since only hours from then on, as in `hours` */
export function usageByModel(sessions: readonly CatalogSession[], since = ""): ReadonlyMap<string, Usage> {
  const used = new Map<string, Usage>();
  for (const { hours } of sessions)
    for (const [hour, { models }] of Object.entries(hours))
      if (hour >= since)
        for (const [model, usage] of Object.entries(models))
          used.set(model, addUsage(used.get(model) ?? noUsage, usage));
  return used;
}

/** Words that say little about what a message is about. */
const fillers = new Set(
  "a an and are as at be by can could do does for from have how i in into is it its let me my of on or our please so that the their then there this to us was we what when which will with would you your".split(
    " ",
  ),
);

/** Returns a name made of a message's first words, as `fix-login-redirect`; empty without words. */
export function automaticName(title: string): string {
  const words = (title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !fillers.has(word));
  let name = "";
  for (const word of words.slice(0, 4)) {
    const longer = name === "" ? word.slice(0, 32) : `${name}-${word}`;
    if (longer.length > 32) break;
    name = longer;
  }
  return name;
}

/**
 * Returns the ID of a session, by its ID, the unique beginning of one, or its name.
 *
 * @throws as `findSession` does.
 */
export function namedSession(home: string, wanted: string): string {
  try {
    return basename(findSession(home, wanted), logSuffix);
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== "session_not_found") throw error;
    const found = sessionCatalog(home).filter(({ name, parent }) => !parent && name === wanted);
    const [only, second] = found;
    if (only === undefined) throw error;
    if (second === undefined) return only.id;
    const ids = found.slice(0, 5).map(({ id }) => id);
    const message = `${found.length} sessions are called ${wanted}. Give an ID: ${ids.join(", ")}${found.length > 5 ? ", …" : ""}.`;
    throw new AgentError("session_ambiguous", message);
  }
}

interface Look {
  readonly entry: Entry;
  readonly changedAt: Date;
  /** The size of the log. */
  readonly bytes: number;
  /** How many bytes were read. */
  readonly read: number;
}

/** Reads the new lines of a log; all lines if it is another file than before. `undefined` for one that cannot be read. */
function follow(path: string, known: Entry | undefined): Look | undefined {
  try {
    const { size, mtime, ino } = statSync(path);
    const isSame = known?.ino === ino && known.done <= size;
    const entry = isSame ? known : newEntry(path, ino);
    if (entry === undefined) return undefined;
    return { entry, changedAt: mtime, bytes: size, read: entry.done === size ? 0 : readMore(path, entry) };
  } catch {
    // Removed since, or not for this user: sessionProblems says so.
    return undefined;
  }
}

function newEntry(path: string, ino: number): Entry | undefined {
  const summary = summaryOf(path, { all: true });
  if (!summary) return undefined;
  const { id, cwd, startedAt, title, isPrint, isOther, parent } = summary;
  return {
    ino,
    done: 0,
    summary: { id, cwd, startedAt: startedAt.toISOString(), title, isPrint },
    isListed: !isOther,
    automaticName: automaticName(title),
    givenName: "",
    turns: 0,
    model: "",
    hours: {},
    files: [],
    ...(parent && { parent }),
  };
}

/** How much is read at once, in bytes. Longer lines are read in one piece. */
const chunkBytes = 1_048_576;
const newline = 0x0a;

/** Reads the lines after `done`; returns how many bytes they have. A line without its end is read next time. */
function readMore(path: string, entry: Entry): number {
  const fd = openRegularFile(path);
  if (fd === undefined) return 0;
  const from = entry.done;
  try {
    const { size } = fstatSync(fd);
    if (size < 65_536 || entry.done < 65_536) refreshTitle(path, entry);
    let wanted = chunkBytes;
    while (entry.done < size) {
      const chunk = Buffer.allocUnsafe(Math.min(wanted, size - entry.done));
      const bytes = readSync(fd, chunk, 0, chunk.length, entry.done);
      const end = chunk.lastIndexOf(newline, bytes - 1) + 1;
      if (end === 0) {
        if (bytes < wanted) break;
        wanted *= 2;
        continue;
      }
      takeLines(chunk.subarray(0, end), entry);
      entry.done += end;
    }
  } finally {
    closeSync(fd);
  }
  return entry.done - from;
}

/** The first message may not have been there, or may have been rewound. */
function refreshTitle(path: string, entry: Entry): void {
  const title = summaryOf(path, { all: true })?.title ?? entry.summary.title;
  entry.summary = { ...entry.summary, title };
  entry.automaticName = automaticName(title);
}

function takeLines(lines: Buffer, entry: Entry): void {
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(newline, start);
    takeLine(lines.subarray(start, end), entry);
    start = end + 1;
  }
}

/** The beginning of a line that says something for the catalog. */
const startPattern =
  /^\{"seq":\d+,"time":"(\d{4}-\d\d-\d\dT\d\d)[^"]*","type":"(step_end|spent|turn_end|tool_result|changed|name)"(?:,"id":"[^"]*","name":"([^"]*)")?/;

/** Longer beginnings are not needed, in bytes. */
const startBytes = 400;

function takeLine(line: Buffer, entry: Entry): void {
  const [, hour = "", type, tool] =
    startPattern.exec(line.toString("latin1", 0, Math.min(line.length, startBytes))) ?? [];
  if (type === undefined) return;
  if (type === "turn_end") return void entry.turns++;
  entry.hours[hour] ??= { models: {}, tools: {} };
  const { models, tools } = entry.hours[hour];
  if (type === "tool_result") {
    if (tool === undefined) return;
    const [calls, characters] = tools[tool] ?? [0, 0];
    tools[tool] = [calls + 1, characters + line.length];
    return;
  }
  const event = parseLine(line.toString("utf8"));
  if (event?.type === "step_end" || event?.type === "spent") {
    models[event.model] = addUsage(models[event.model] ?? noUsage, event.usage);
    if (event.type === "step_end") entry.model = event.model;
  }
  if (event?.type === "changed" && !entry.files.includes(event.path)) entry.files.push(event.path);
  if (event?.type === "name") entry.givenName = event.name;
}

/*
 * The file: a line with the version, the length of what follows and its sum; then the entries as JSON.
 */

function load(file: string): Map<string, Entry> {
  try {
    const data = readFileSync(file);
    const rest = data.subarray(data.indexOf(newline) + 1);
    if (data.toString("latin1", 0, data.length - rest.length) === headOf(rest))
      return new Map(JSON.parse(rest.toString()));
  } catch {
    // Missing, or not for this user.
  }
  return new Map();
}

/** Writes the catalog, if that is possible: it only saves time. */
function store(file: string, entries: ReadonlyMap<string, Entry>): void {
  const rest = Buffer.from(JSON.stringify([...entries]));
  const temporary = `${file}.${process.pid}`;
  try {
    makePrivateDirectory(dirname(file));
    writeFileSync(temporary, Buffer.concat([Buffer.from(headOf(rest)), rest]), { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    // No room, or a directory that cannot be written.
  }
}

function headOf(rest: Buffer): string {
  let sum = 0;
  // Four bytes at a time: in a copy, because they may begin anywhere.
  const words = new Int32Array(new Uint8Array(rest).buffer, 0, rest.length >> 2);
  for (const word of words) sum = Math.imul(sum ^ word, 0x01000193);
  for (const byte of rest.subarray(words.length * 4)) sum = Math.imul(sum ^ byte, 0x01000193);
  return `${version} ${rest.length} ${(sum >>> 0).toString(16)}\n`;
}
