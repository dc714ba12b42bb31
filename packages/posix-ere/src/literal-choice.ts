import type { FindLiteral } from "./find-literals.ts";

/**
 * Minimum average distance between occurrences of a text, in bytes, at which searching for it is faster than running the
 * automaton over everything.
 */
const minGapBytes = 48;

/** At this distance, no other text could be noticeably better, in bytes. */
const goodGapBytes = 16_384;

/** Number of occurrences after which a text is judged. */
const sampleSize = 64;

/** Chooses the text to search for by frequency: tries one after the other until one is rare, else uses the rarest. */
export class LiteralChoice {
  private readonly finds: readonly FindLiteral[];
  private readonly gaps: number[] = [];
  private isSettled: boolean;
  private places = 0;
  private passedBytes = 0;
  private chosen: FindLiteral | undefined;

  constructor(finds: readonly FindLiteral[]) {
    this.finds = finds;
    this.chosen = finds[0];
    this.isSettled = finds.length === 0;
  }

  /** The current search; `undefined` if all texts are too frequent. */
  get find(): FindLiteral | undefined {
    return this.chosen;
  }

  /** Records that bytes were skipped, up to an occurrence or the end of the search. */
  passed(bytes: number, isPlace: boolean): void {
    if (this.isSettled) return;
    this.passedBytes += bytes;
    if (isPlace && ++this.places >= sampleSize) this.judge();
  }

  private judge(): void {
    const gap = this.passedBytes / this.places;
    this.gaps.push(gap);
    const next = gap < goodGapBytes ? this.finds[this.gaps.length] : undefined;
    this.isSettled = next === undefined;
    this.chosen = next ?? this.rarest();
    this.places = 0;
    this.passedBytes = 0;
  }

  private rarest(): FindLiteral | undefined {
    const widest = Math.max(...this.gaps);
    return widest < minGapBytes ? undefined : this.finds[this.gaps.indexOf(widest)];
  }
}
