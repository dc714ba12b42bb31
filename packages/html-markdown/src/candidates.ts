import type { Candidate, Tag } from "./page.ts";

/** Collects the elements that may be the main part of a page. */
export class Candidates {
  readonly all: Candidate[] = [];
  readonly #open: { tag: Tag; candidate: Candidate }[] = [];

  /** @param textLength of the page so far. */
  open(tag: Tag, isMain: boolean, from: number, textLength: number): void {
    const candidate = { isMain, from, end: 0, textLength: -textLength };
    this.all.push(candidate);
    this.#open.push({ tag, candidate });
  }

  /** Ends the innermost one if it is this element. */
  close(tag: Tag, end: number, textLength: number): void {
    const last = this.#open.at(-1);
    if (last?.tag !== tag) return;
    last.candidate.textLength += textLength;
    last.candidate.end = end;
    this.#open.pop();
  }
}
