/** The raw content of a string value, without its quotes: byte offsets from the start of the text. */
export interface StringSpan {
  readonly start: number;
  readonly end: number;
}

/** Why a text is not JSON; `found` is the end of a sentence. */
interface JsonProblem {
  readonly offset: number;
  readonly found: string;
}

type State = (byte: number) => State | undefined;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Deeper than any answer within a host's limit, in levels: a text of only brackets must not fill the memory. */
const maxDepth = 600_000;

/**
 * Checks a JSON text as strictly as `JSON.parse`, byte by byte without holding it in memory, and records where its long string
 * values are. Does not check that the bytes are UTF-8.
 */
export class JsonScanner {
  /** String values of at least the minimum length, in order. Object keys are not included. */
  readonly strings: StringSpan[] = [];
  problem: JsonProblem | undefined;
  /** The offset after the last byte that is not white space. */
  end = 0;

  readonly #minStringBytes: number;
  readonly #containers: number[] = [];
  #offset = 0;
  #state: State = (byte) => this.#value(byte);
  #at = 0;
  #stringStart = 0;
  #isKey = false;

  constructor(minStringBytes = Number.POSITIVE_INFINITY) {
    this.#minStringBytes = minStringBytes;
  }

  /** Scans the next part of the text. After a problem, input is ignored. */
  push(chunk: Uint8Array): void {
    for (let index = 0; index < chunk.length && this.problem === undefined; index++) {
      if (this.#state === this.#inString) index = skipPlain(chunk, index);
      const byte = chunk[index];
      if (byte === undefined) break;
      this.#step(byte, this.#offset + index);
    }
    this.#offset += chunk.length;
  }

  /** Ends the text; afterwards `problem` is final. */
  finish(): void {
    // A number at the end of the text is terminated by white space.
    if (this.#state(0x20) !== this.#afterAll) this.#fail(this.#offset, "the text ends early");
  }

  #step(byte: number, offset: number): void {
    this.#at = offset;
    const next = this.#state(byte);
    if (!isSpace(byte)) this.end = offset + 1;
    if (next) this.#state = next;
    else this.#fail(offset, this.#state === this.#afterAll ? "more text after the value" : describe(byte));
  }

  #fail(offset: number, found: string): void {
    this.problem ??= { offset, found };
  }

  #value: State = (byte) => {
    if (isSpace(byte)) return this.#state;
    if (byte === quote) return this.#startString(false);
    if (byte === openBrace) return this.#open(openBrace, this.#firstKey);
    if (byte === openBracket) return this.#open(openBracket, this.#firstItem);
    if (byte === 0x2d) return this.#minus;
    if (byte === 0x30) return this.#afterInteger;
    if (isDigit(byte)) return this.#integer;
    if (byte === 0x74) return this.#literal("rue");
    if (byte === 0x66) return this.#literal("alse");
    return byte === 0x6e ? this.#literal("ull") : undefined;
  };

  #open(container: number, next: State): State | undefined {
    this.#containers.push(container);
    return this.#containers.length > maxDepth ? undefined : next;
  }

  #close(): State {
    this.#containers.pop();
    return this.#afterValue(0x20) ?? this.#afterAll;
  }

  #firstItem: State = (byte) => (byte === closeBracket ? this.#close() : this.#value(byte));
  #firstKey: State = (byte) => (byte === closeBrace ? this.#close() : this.#key(byte));
  #key: State = (byte) => (isSpace(byte) ? this.#state : byte === quote ? this.#startString(true) : undefined);
  #colon: State = (byte) => (isSpace(byte) ? this.#colon : byte === 0x3a ? this.#value : undefined);
  #afterAll: State = (byte) => (isSpace(byte) ? this.#afterAll : undefined);

  #afterValue: State = (byte) => {
    const container = this.#containers.at(-1);
    if (container === undefined) return this.#afterAll(byte);
    if (isSpace(byte)) return this.#afterValue;
    if (byte === 0x2c) return container === openBrace ? this.#key : this.#value;
    const closing = container === openBrace ? closeBrace : closeBracket;
    return byte === closing ? this.#close() : undefined;
  };

  #startString(isKey: boolean): State {
    this.#isKey = isKey;
    this.#stringStart = this.#at + 1;
    return this.#inString;
  }

  #inString: State = (byte) => {
    if (byte === backslash) return this.#escape;
    if (byte < 0x20) return undefined;
    if (byte !== quote) return this.#inString;
    if (this.#isKey) return this.#colon;
    if (this.#at - this.#stringStart >= this.#minStringBytes) {
      this.strings.push({ start: this.#stringStart, end: this.#at });
    }
    return this.#afterValue;
  };

  #escape: State = (byte) => {
    if (byte === 0x75) return this.#hex(4);
    return '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? this.#inString : undefined;
  };

  #hex(digits: number): State {
    return (byte) => (!isHexDigit(byte) ? undefined : digits === 1 ? this.#inString : this.#hex(digits - 1));
  }

  #literal(rest: string): State {
    return (byte) => {
      if (byte !== rest.charCodeAt(0)) return undefined;
      return rest.length === 1 ? this.#afterValue : this.#literal(rest.slice(1));
    };
  }

  #minus: State = (byte) => (byte === 0x30 ? this.#afterInteger : isDigit(byte) ? this.#integer : undefined);
  #integer: State = (byte) => (isDigit(byte) ? this.#integer : this.#afterInteger(byte));
  #afterInteger: State = (byte) => (byte === 0x2e ? this.#point : this.#beforeExponent(byte));
  #point: State = (byte) => (isDigit(byte) ? this.#fraction : undefined);
  #fraction: State = (byte) => (isDigit(byte) ? this.#fraction : this.#beforeExponent(byte));
  #beforeExponent: State = (byte) => (byte === 0x65 || byte === 0x45 ? this.#exponentSign : this.#afterValue(byte));
  #exponentSign: State = (byte) => (byte === 0x2b || byte === 0x2d ? this.#exponentStart : this.#exponentStart(byte));
  #exponentStart: State = (byte) => (isDigit(byte) ? this.#exponent : undefined);
  #exponent: State = (byte) => (isDigit(byte) ? this.#exponent : this.#afterValue(byte));
}

/** The index of the next byte that ends the string, starts an escape or is invalid: most bytes are none of these. */
function skipPlain(chunk: Uint8Array, from: number): number {
  let index = from;
  for (; index < chunk.length; index++) {
    const byte = chunk[index] ?? 0;
    if (byte === quote || byte === backslash || byte < 0x20) break;
  }
  return index;
}

function describe(byte: number): string {
  return byte > 0x20 && byte < 0x7f
    ? `unexpected ${String.fromCharCode(byte)}`
    : `unexpected byte 0x${byte.toString(16)}`;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
