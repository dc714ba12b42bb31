// Searches all logs for words: what users and models said, calls and their results. Reads every log, as grep does, and parses only lines that have
// the words.
import { closeSync, readSync } from "node:fs";
import { isAbsolute, resolve, sep } from "node:path";
import { createSimdMemory, isInside, openRegularFile, plainMemory, type ScanMemory } from "@ikigai/system";
import { asTyped } from "../conversation.ts";
import { printedText } from "../export/transcript.ts";
import { parseLine } from "../log/events.ts";
import type { CatalogSession } from "./usage-catalog.ts";

/** Which sessions are meant. */
export interface SessionFilter {
  /** Those of this directory and those below. */
  readonly project?: string | undefined;
  /** Those that changed at or after this time. */
  readonly since?: Date | undefined;
  /** Those with calls of this tool; a search then looks only at them. */
  readonly tool?: string | undefined;
  /** Those whose file tools have changed this file: a path, or its end. */
  readonly file?: string | undefined;
}

/** Returns the sessions that a filter lets through, in their order; none of agents. */
export function filterSessions(sessions: readonly CatalogSession[], filter: SessionFilter, cwd: string) {
  const { project, since, tool, file } = filter;
  return sessions.filter((session) => {
    if (session.parent) return false;
    if (project !== undefined && !isInside(session.cwd, resolve(cwd, project))) return false;
    if (since !== undefined && session.changedAt < since) return false;
    if (tool !== undefined && !Object.values(session.hours).some(({ tools }) => tools[tool])) return false;
    return file === undefined || session.files.some((path) => isFile(path, file, cwd));
  });
}

function isFile(path: string, wanted: string, cwd: string): boolean {
  return path === resolve(cwd, wanted) || (!isAbsolute(wanted) && path.endsWith(`${sep}${wanted}`));
}

/** Where words were found. */
export interface Hit {
  readonly session: CatalogSession;
  readonly time: string;
  /** Who said it: `you`, `answer`, `thought`, or the name of a tool. */
  readonly where: string;
  /** The text around the first word, on one line. */
  readonly snippet: string;
  /** How many more messages and calls of the session have the words. */
  readonly more: number;
}

interface SearchOptions {
  readonly tool?: string | undefined;
  /** Limit of sessions that are returned. */
  readonly limit: number;
}

/**
 * Finds the sessions in which one message, call or result has all texts, whatever the case of their letters; in the order of `sessions`. A log
 * that is being written is searched as far as it is written.
 */
export function searchSessions(
  sessions: readonly CatalogSession[],
  texts: readonly string[],
  { tool, limit }: SearchOptions,
): Hit[] {
  const needles = texts.map(plain).filter((text) => text !== "");
  const pieces = needles.flatMap(piecesOf).sort((a, b) => b.length - a.length);
  const memory = createSimdMemory() ?? plainMemory;
  const find = memory.findLiterals?.([pieces[0] ?? "\n"], true) ?? findPlainly(pieces[0] ?? "\n");
  const wanted = { needles, patterns: needles.map(asWritten), memory, find, tool };
  const hits: Hit[] = [];
  for (const session of sessions) {
    if (hits.length === limit) break;
    const hit = searchLog(session, wanted);
    if (hit) hits.push(hit);
  }
  return hits;
}

/** Small letters, and one space for any white space. */
function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}

/** The parts of a text that JSON writes as they are, in either case. */
function piecesOf(text: string): string[] {
  const hasCase = (character: string) => character > "\u007f" && character.toUpperCase() !== character;
  const written = [...text].map((character) =>
    /[\s"\\\p{C}]/u.test(character) || hasCase(character) ? "\n" : character,
  );
  return written.join("").split("\n").filter(Boolean);
}

/** What finds a text in JavaScript, where there are no SIMD instructions. */
function findPlainly(text: string): Wanted["find"] {
  const pattern = new RegExp(Buffer.from(text).toString("latin1").replace(syntax, "\\$&"), "i");
  return (bytes, from, to) => {
    const found = bytes.toString("latin1", from, to).search(pattern);
    return found < 0 ? -1 : from + found;
  };
}

/** The characters that mean something in a pattern. */
const syntax = /[.*+?^${}()|[\]\\/]/g;

/** A text as JSON writes it, also in a string of JSON in a string: white space and quotes may be escapes. */
function asWritten(text: string): RegExp {
  const written = [...text].map((character) => {
    if (character === " ") return "(?:\\s|\\\\+[nrt])+";
    return character === '"' || character === "\\"
      ? `\\\\*${character.replace(syntax, "\\$&")}`
      : character.replace(syntax, "\\$&");
  });
  return new RegExp(written.join(""), "iu");
}

interface Wanted {
  readonly needles: readonly string[];
  readonly patterns: readonly RegExp[];
  readonly memory: ScanMemory;
  readonly find: (bytes: Buffer, from: number, to: number) => number;
  readonly tool: string | undefined;
}

function searchLog(session: CatalogSession, wanted: Wanted): Hit | undefined {
  let first: Omit<Hit, "more"> | undefined;
  let count = 0;
  for (const line of possibleLines(session, wanted)) {
    const found = hitIn(line, wanted);
    if (!found) continue;
    first ??= { session, ...found };
    count++;
  }
  return first && { ...first, more: count - 1 };
}

/** The lines that may have all texts. */
function* possibleLines(session: CatalogSession, { patterns, memory, find }: Wanted): Generator<string> {
  const bytes = readLog(session, memory);
  for (let at = find(bytes, 0, bytes.length); at >= 0; ) {
    const start = at === 0 ? 0 : bytes.lastIndexOf(newline, at - 1) + 1;
    const next = bytes.indexOf(newline, at);
    // A line without its end is still being written.
    if (next < 0) return;
    const line = bytes.toString("utf8", start, next);
    if (patterns.every((pattern) => pattern.test(line))) yield line;
    at = find(bytes, next + 1, bytes.length);
  }
}

const newline = 0x0a;

/** Larger logs are searched up to here, in bytes. */
const maxLogBytes = 512 * 1_048_576;

function readLog({ path, bytes: size }: CatalogSession, memory: ScanMemory): Buffer {
  let fd: number | undefined;
  try {
    fd = openRegularFile(path);
    if (fd === undefined) return Buffer.alloc(0);
    const bytes = memory.allocate(Math.min(size, maxLogBytes));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    // Removed since.
    return Buffer.alloc(0);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** How much of the text before and after a word a snippet has, in characters. */
const before = 40;
const after = 100;

function hitIn(line: string, { needles, tool }: Wanted): Pick<Hit, "time" | "where" | "snippet"> | undefined {
  const event = parseLine(line);
  const said = event && saidIn(event);
  if (!said || (tool !== undefined && said.where !== tool)) return undefined;
  const text = said.text.replace(/\s+/g, " ").trim();
  const small = text.toLowerCase();
  if (!needles.every((needle) => small.includes(needle))) return undefined;
  const at = Math.max(0, small.indexOf(needles[0] ?? ""));
  const from = Math.max(0, at - before);
  const to = Math.min(text.length, at + after);
  const snippet = `${from > 0 ? "…" : ""}${text.slice(from, to).toWellFormed()}${to < text.length ? "…" : ""}`;
  return { time: event.time, where: said.where, snippet };
}

/** What a line has for people, and who said it. */
function saidIn(event: NonNullable<ReturnType<typeof parseLine>>): { where: string; text: string } | undefined {
  switch (event.type) {
    case "user":
      return { where: "you", text: asTyped({ text: event.text }) };
    case "text":
      return { where: "answer", text: event.text };
    case "reasoning":
      return { where: "thought", text: event.text };
    case "name":
      return { where: "name", text: event.name };
    case "tool_call":
    case "typed_call":
      return { where: event.name, text: event.arguments };
    case "tool_result":
      return { where: event.name, text: printedText(event) };
    default:
      return undefined;
  }
}
