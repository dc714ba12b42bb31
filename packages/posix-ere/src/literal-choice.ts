import type { FindLiteral } from "./find-literals.ts";

/**
 * How many bytes lie between two places of a text on average where looking for it is still quicker than running the
 * automaton over everything.
 */
const minGapBytes = 48;

/** With such a gap there is nothing to gain from another text, in bytes. */
const goodGapBytes = 16_384;

/** How many places are looked at before a text is judged. */
const sampleSize = 64;

/** Chooses the text to look for by how often each is met: one after the other until one is rare, else the rarest. */
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

  /** What to look for at the moment; undefined when all texts are too frequent. */
  get find(): FindLiteral | undefined {
    return this.chosen;
  }

  /** Tells that so many bytes were passed over, up to a place or to the end of what is searched. */
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
