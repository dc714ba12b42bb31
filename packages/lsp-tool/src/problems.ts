// The problems in the files of a project, and which of them are new: compared by message and text, not by line number, since
// lines move. Below: the user's own command for a language without a server, and the problems in its output.

import { spawn } from "node:child_process";
import { isAbsolute, relative, resolve } from "node:path";
import { isInside } from "@ikigai/system";
import type { Diagnostic } from "vscode-languageserver-protocol";

/** An error or a warning. */
export interface Problem {
  /** Relative to the project, if it is in there. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly source?: string;
  readonly code?: string;
  /** The line's text: of two equal messages, the one on the same text is the same. */
  readonly text?: string;
}

/** What an edit has changed. */
export interface Report {
  readonly added: readonly Problem[];
  readonly fixed: number;
}

/** The longest message, in characters: those of C++ templates have pages. */
const maxMessage = 400;

/** The end of warnings in LSP: hints and information are about style. */
const warning = 2;

/** @param text the text of the file that they are about. */
export function problemsOf(
  path: string,
  diagnostics: readonly Diagnostic[],
  projectDir: string,
  text: string,
): Problem[] {
  const lines = text.split("\n");
  return diagnostics.flatMap(({ severity = 1, range, message, source, code }) => {
    if (severity > warning) return [];
    const words = (typeof message === "string" ? message : message.value).replaceAll(/\s+/g, " ").trim();
    return {
      path: shortPath(path, projectDir),
      line: range.start.line + 1,
      severity: severity === 1 ? ("error" as const) : ("warning" as const),
      message: words.length > maxMessage ? `${words.slice(0, maxMessage)}…` : words,
      text: (lines[range.start.line] ?? "").trim(),
      ...(source !== undefined && { source }),
      ...(code !== undefined && { code: String(code) }),
    };
  });
}

/** A path as answers show it. */
export function shortPath(path: string, projectDir: string): string {
  return isInside(path, projectDir) && path !== projectDir ? relative(projectDir, path) : path;
}

/** The problems of one server or command: those that have been reported or were there before, and those that there are. */
export class Ledger {
  readonly #known = new Map<string, readonly Problem[]>();
  readonly #current = new Map<string, readonly Problem[]>();
  /** Whether a file that it knows nothing of had no problems. */
  isComplete = false;

  /** A file had these problems before. */
  wasBefore(path: string, problems: readonly Problem[]): void {
    this.#known.set(path, problems);
    this.#current.set(path, problems);
  }

  isKnown(path: string): boolean {
    return this.#known.has(path);
  }

  /** A file has these problems now. What was never seen before counts as known. */
  isNow(path: string, problems: readonly Problem[]): void {
    if (!this.#known.has(path)) this.#known.set(path, this.isComplete ? [] : problems);
    this.#current.set(path, problems);
  }

  forget(path: string): void {
    this.#known.delete(path);
    this.#current.delete(path);
  }

  files(): readonly string[] {
    return [...this.#current.keys()];
  }

  of(path: string): readonly Problem[] {
    return this.#current.get(path) ?? [];
  }

  /** Returns what has changed since the last report, which is known from now on. */
  report(passes: (problem: Problem) => boolean): Report {
    const added: Problem[] = [];
    let fixed = 0;
    for (const [path, problems] of this.#current) {
      const left = [...(this.#known.get(path) ?? [])];
      const isNew = (isSame: typeof areAlike) => (problem: Problem) => {
        const index = left.findIndex((one) => isSame(one, problem));
        if (index >= 0) left.splice(index, 1);
        return index < 0;
      };
      const moved = problems.filter(isNew((one, other) => areAlike(one, other) && one.text === other.text));
      added.push(...moved.filter(isNew(areAlike)).filter(passes));
      fixed += left.filter(passes).length;
      this.#known.set(path, problems);
    }
    return { added, fixed };
  }
}

function areAlike(one: Problem, other: Problem): boolean {
  return (
    one.message === other.message &&
    one.severity === other.severity &&
    one.code === other.code &&
    one.source === other.source
  );
}

/** The order of an answer: errors first, then by file and line. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  const rank = ({ severity }: Problem) => (severity === "error" ? 0 : 1);
  return problems.toSorted(
    (a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : Number(a.path > b.path)) || a.line - b.line,
  );
}

/** One problem as text. */
export function problemText({ path, line, severity, message, source, code, text = "" }: Problem): string {
  const by = [source, code].filter(Boolean).join(" ");
  const head = `${path}:${line}: ${severity}: ${message}${by === "" ? "" : ` (${by})`}`;
  return text === "" ? head : `${head}\n    ${text.slice(0, maxLine)}`;
}

/** The longest line of a file in an answer, in characters. */
export const maxLine = 200;

// The user's own command for a language without a server: how it is run, and what its output says. Compilers and linters print
// `path:line:column: message` in many ways.

/** How long a command may take, in milliseconds, and how much of its output is read, in bytes. */
const maxCommandMs = 120_000;
const maxOutputBytes = 1_048_576;

/** Runs a command in the project; returns what it prints, or `undefined` if it does not end in time. Its processes are a group of their own. */
export function runCheck(command: string, projectDir: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((settle) => {
    const child = spawn("/bin/sh", ["-c", command], {
      cwd: projectDir,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (text: string | undefined) => {
      clearTimeout(timer);
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // They have ended.
      }
      settle(text);
    };
    const timer = setTimeout(() => end(undefined), maxCommandMs);
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length <= maxOutputBytes) chunks.push(chunk);
      });
    child.once("error", () => end(undefined));
    child.once("exit", () => setImmediate(() => end(Buffer.concat(chunks).toString())));
  });
}

/** `a.ts(3,5): error TS2322: …`, `a.ts:3:5 - error TS2322: …` */
const typescript =
  /^(?<path>[^\s(:][^(:]*)(?:\((?<row>\d+),\d+\):|:(?<line>\d+):\d+ -) (?<severity>error|warning) (?<code>TS\d+): (?<message>.+)$/;

/** `a.py:3:5: F401 …`, `a.c:3: error: …`, `a.go:3:5: …` */
const usual =
  /^(?<path>[^\s:][^:]*):(?<line>\d+):(?:\d+:)? ?(?:(?<severity>fatal error|error|warning|note|info|help)(?:\[(?<id>[\w:-]+)\])?: ?)?(?:(?<code>[A-Z]{1,4}\d{2,5}):? )?(?<message>.+)$/i;

/** `error[E0308]: …`, with ` --> src/main.rs:3:5` in a later line. */
const rustHead = /^(?<severity>error|warning)(?:\[(?<code>\w+)\])?: (?<message>.+)$/;
const rustPlace = /^\s*--> (?<path>[^:]+):(?<line>\d+):\d+$/;

/** Reads the problems in the output of a command, by absolute path. */
export function readCheck(output: string, projectDir: string): Map<string, Problem[]> {
  const found = new Map<string, Problem[]>();
  let head: Record<string, string | undefined> | undefined;
  for (const line of withoutColours(output).split("\n")) {
    const named = rustHead.exec(line)?.groups;
    if (named) {
      head = named;
      continue;
    }
    const place = rustPlace.exec(line)?.groups;
    const said = place && head ? { ...head, ...place } : (typescript.exec(line) ?? usual.exec(line))?.groups;
    if (place) head = undefined;
    if (said) add(found, said, projectDir);
  }
  return found;
}

function add(found: Map<string, Problem[]>, said: Record<string, string | undefined>, projectDir: string): void {
  const { path = "", severity = "error", message = "", code, id } = said;
  if (/note|info|help/i.test(severity)) return;
  const full = isAbsolute(path) ? path : resolve(projectDir, path);
  const problems = found.get(full) ?? [];
  found.set(full, problems);
  problems.push({
    path: shortPath(full, projectDir),
    line: Number(said.line ?? said.row),
    severity: /warning/i.test(severity) ? "warning" : "error",
    message: message.trim(),
    ...((code ?? id) !== undefined && { code: code ?? id ?? "" }),
  });
}

function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it begins an escape sequence
  return text.replaceAll(/\x1b\[[\d;]*m/g, "");
}
