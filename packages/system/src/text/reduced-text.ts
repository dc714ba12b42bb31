import { keepVisible, lineBreak } from "./visible-units.ts";

/** Lines of plain text have nothing else. */
const oddUnit = /[^\t -~]/;

/** A part of a text: the offset of its first character, and the one after its last. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * A text without what may be inside a key: invisible characters, and line breaks with the white space around them. Knows where its
 * characters were.
 */
export class ReducedText {
  readonly text: string;
  /** Whether terminal sequences are left out, too; else only their control characters. */
  readonly isAsShown: boolean;
  readonly hasSequences: boolean;
  readonly #whole: string;
  #origins: Uint32Array | undefined;

  constructor(whole: string, isAsShown: boolean) {
    this.#whole = whole;
    this.isAsShown = isAsShown;
    const { text, hasSequences } = oddUnit.test(whole)
      ? reduce(whole, isAsShown)
      : { text: whole, hasSequences: false };
    this.text = text;
    this.hasSequences = hasSequences;
  }

  /** Where a part was in the whole text. */
  origin({ start, end }: Range): Range {
    return { start: this.#originOf(start), end: this.#originOf(end - 1) + 1 };
  }

  /** Whether there was a line break before a character, or at the end of the text. */
  hadLineBreak(at: number): boolean {
    if (this.text === this.#whole) return false;
    const [start, end] = [this.#originOf(at - 1) + 1, this.#originOf(at)];
    return start < end && lineBreak.test(this.#whole.slice(start, end));
  }

  #originOf(at: number): number {
    if (this.text === this.#whole) return at;
    if (at < 0) return -1;
    if (at >= this.text.length) return this.#whole.length;
    if (!this.#origins) {
      this.#origins = new Uint32Array(this.text.length);
      reduce(this.#whole, this.isAsShown, this.#origins);
    }
    return this.#origins[at] ?? 0;
  }
}

/** A text as a terminal shows it, and, if it has terminal sequences, with their words: a key may be in one. */
export function reducedTexts(text: string): ReducedText[] {
  const shown = new ReducedText(text, true);
  return shown.hasSequences ? [shown, new ReducedText(text, false)] : [shown];
}

interface Reduced {
  readonly text: string;
  readonly hasSequences: boolean;
}

function reduce(whole: string, isAsShown: boolean, origins?: Uint32Array): Reduced {
  const options = { withSequences: !isAsShown, origins };
  // A text of ASCII characters takes half of the time.
  if (Buffer.byteLength(whole) === whole.length) {
    const bytes = Buffer.from(whole, "latin1");
    const units = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    const { length, hasSequences } = keepVisible(units, whole, options);
    return { text: bytes.toString("latin1", 0, length), hasSequences };
  }
  const bytes = Buffer.allocUnsafeSlow(2 * whole.length);
  bytes.write(whole, "utf16le");
  const { length, hasSequences } = keepVisible(new Uint16Array(bytes.buffer), whole, options);
  return { text: bytes.toString("utf16le", 0, 2 * length), hasSequences };
}
