// The problems in the files of a project, and which of them are new: compared by message and text, not by line number, since lines move.

import { relative } from "node:path";
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
