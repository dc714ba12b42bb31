import type { Mark } from "./marks.ts";

/** A piece of a paragraph that is inside the same marks. */
export interface Run {
  /** Text as it is read; Markdown if it is raw, such as an image. */
  text: string;
  readonly isRaw: boolean;
  readonly path: readonly Mark[];
  readonly before: Gap;
}

/** What separates a run from the one before it. */
export type Gap = "" | " " | "\n";

/** How much had been collected. */
export interface Place {
  readonly runs: number;
  readonly gap: Gap;
}

/** With no-break spaces, which would otherwise be in the way of both searches and Markdown. */
const spaces = /[\t\n\f\r \u00a0\u2028\u2029]+/g;
const needsCleaning = /[^ -~\u00a1-\u2027\u202a-\ufefe\uff00-\uffff]| {2}/;

/** Collects the text of one paragraph, heading or table cell, with white space collapsed as a browser does. */
export class Inline {
  #runs: Run[] = [];
  #gap: Gap = "";
  /** Whether the next text begins a new run. */
  #isApart = false;

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  /** Whether the last thing was a line break. */
  get isAfterBreak(): boolean {
    return this.#gap === "\n";
  }

  text(text: string, mark: Mark | undefined): void {
    const clean = needsCleaning.test(text) ? text.replace(spaces, " ") : text;
    if (clean === "") return;
    if (clean === " ") {
      this.space();
      return;
    }
    const start = clean.startsWith(" ") ? 1 : 0;
    const end = clean.endsWith(" ") ? clean.length - 1 : clean.length;
    if (start) this.space();
    this.#add(clean.slice(start, end), false, mark?.path ?? []);
    if (end < clean.length) this.space();
  }

  raw(markdown: string, mark: Mark | undefined): void {
    if (markdown === "") return;
    this.#add(
      markdown,
      true,
      (mark?.path ?? []).filter(({ kind }) => kind !== "code"),
    );
  }

  space(): void {
    if (this.#gap === "" && !this.isEmpty) this.#gap = " ";
  }

  /** A line break; at the start and at the end it has no effect. */
  break(): void {
    if (!this.isEmpty) this.#gap = "\n";
  }

  /** A place to go back to. */
  mark(): Place {
    this.#isApart = true;
    return { runs: this.#runs.length, gap: this.#gap };
  }

  /** Takes back the text since then, if it is at most two characters, none of them a letter or a digit. */
  dropSymbols({ runs, gap }: Place): void {
    this.#isApart = true;
    const added = this.#runs.slice(runs, runs + 3);
    if (added.length > 2 || added.some(({ isRaw }) => isRaw)) return;
    if (!/^[^\p{L}\p{N}]{0,2}$/u.test(added.map(({ text }) => text).join(""))) return;
    this.#runs.length = Math.min(runs, this.#runs.length);
    this.#gap = gap;
  }

  /** Returns the runs and starts again. */
  take(): readonly Run[] {
    const runs: Run[] = [];
    for (const run of this.#runs) {
      const last = runs.at(-1);
      if (last && isContinued(last, run)) last.text += run.before + run.text;
      else runs.push(run);
    }
    this.#runs = [];
    this.#gap = "";
    return runs;
  }

  #add(text: string, isRaw: boolean, path: readonly Mark[]): void {
    const run = { text, isRaw, path, before: this.#gap };
    const last = this.#runs.at(-1);
    if (last && !this.#isApart && isContinued(last, run)) last.text += run.before + text;
    else this.#runs.push(run);
    this.#gap = "";
    this.#isApart = false;
  }
}

function isContinued(run: Run, next: Run): boolean {
  return !run.isRaw && !next.isRaw && next.before !== "\n" && isSamePath(run.path, next);
}

/** How many marks a run shares with the next, counted from the outermost. */
export function sharedMarks(path: readonly Mark[], next: Run): number {
  let count = 0;
  while (count < path.length && isSame(path[count], next.path[count], next.before === "")) count += 1;
  return count;
}

function isSamePath(path: readonly Mark[], next: Run): boolean {
  return path === next.path || (path.length === next.path.length && sharedMarks(path, next) === path.length);
}

/** Two elements of a kind are one if nothing is between them; two links are two. */
function isSame(one: Mark | undefined, other: Mark | undefined, touches: boolean): boolean {
  return one === other || (touches && one?.kind === other?.kind && one?.kind !== "link");
}
