// Splits what the user types into keys and pasted texts, and compares keys with their names.
import { StringDecoder } from "node:string_decoder";
import { decodeKittyPrintable, isKeyRepeat, type KeyId, matchesKey, StdinBuffer } from "@earendil-works/pi-tui";
import { textStart } from "@ikigai/protocol";

interface KeyListener {
  key(typed: string): void;
  /** @param isCut whether the rest is lost, because it is too long. */
  paste(text: string, isCut: boolean): void;
  /** The terminal is gone. */
  gone(): void;
}

/** Longer pastes are truncated, in characters. */
export const maxPasteLength = 1_048_576;

/** Reads keys and pastes from the terminal until the returned function is called. */
export function readKeys({ key, paste, gone }: KeyListener): () => void {
  const { stdin } = process;
  const decoder = new StringDecoder("utf8");
  const takeKeys = splitKeys(key);
  let isOpen = true;
  // Before keys are split: pi-tui would end a paste at the first end mark, which a hostile text may contain.
  const filter = createPasteFilter(({ text, isPaste }) => {
    if (!isOpen) return;
    if (isPaste) paste(textStart(text, maxPasteLength), text.length > maxPasteLength);
    else takeKeys(text);
  });
  const take = (chunk: Buffer) => filter(decoder.write(chunk));
  const hangUp = () => isOpen && gone();
  stdin.on("data", take).on("end", hangUp).on("error", hangUp);
  stdin.resume();
  return () => {
    isOpen = false;
    stdin.off("data", take).pause();
  };
}

/** Input from the terminal: keys, or pasted text. */
interface Typed {
  readonly text: string;
  readonly isPaste: boolean;
}

const begin = "\u001b[200~";
const end = "\u001b[201~";

/** A line and the start of the next one, in one read: a paste without marks. What a user types comes key by key. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: after Esc it is Alt-Enter, after a backslash a new line
const severalLines = /(?<![\u001b\\])\r[^\p{Cc}]/u;

/**
 * The pause after which held input counts as complete, in milliseconds: long enough for the second part of an escape sequence,
 * and for the rest of a paste.
 */
const quietMs = 20;

/** The pause that ends a paste without an end mark, in milliseconds. */
const lostEndMs = 1_000;

/** Input held at most, in characters. */
const maxLength = 16 * 1_048_576;

/**
 * Separates pasted text from typed keys, by the marks that terminals put around a paste.
 *
 * A hostile text may contain the end mark, so that its rest passes for typed keys. So a paste ends at the last mark before a
 * pause: typed keys do not follow that fast. So does a paste without marks, whose lines would otherwise be sent one by one, and
 * run if they begin with `!`.
 */
function createPasteFilter(take: (typed: Typed) => void): (chunk: string) => void {
  let held = "";
  // The end of `held`, kept separately: reading the end of a growing string costs its whole length each time.
  let recent = "";
  let isPasting = false;
  let isEndSeen = false;
  let cancel = () => {};

  return (chunk) => {
    cancel();
    const news = recent + chunk;
    recent = news.slice(-end.length + 1);
    if (isPasting) isEndSeen ||= news.includes(end);
    // Excess input is dropped, but not the end of the paste.
    held = held.length < maxLength ? held + chunk : textStart(held, maxLength) + news;
    if (!isPasting) findPaste();
    if (isPasting) cancel = whenQuiet(isEndSeen ? quietMs : lostEndMs, endPaste);
    else if (held !== "") cancel = whenQuiet(quietMs, giveKeys);
  };

  function findPaste(): void {
    const start = held.indexOf(begin);
    const keysEnd = start >= 0 ? start : held.length - beginningAtEnd(held);
    const keys = held.slice(0, keysEnd);
    if (severalLines.test(keys)) {
      isPasting = isEndSeen = true;
      return;
    }
    held = held.slice(start >= 0 ? start + begin.length : keysEnd);
    isPasting = start >= 0;
    isEndSeen = isPasting && held.includes(end);
    if (keys !== "") take({ text: keys, isPaste: false });
  }

  function endPaste(): void {
    const last = held.lastIndexOf(end);
    const text = last < 0 ? held : held.slice(0, last);
    const rest = last < 0 ? "" : held.slice(last + end.length);
    held = "";
    isPasting = false;
    take({ text: text.replaceAll(begin, "").replaceAll(end, ""), isPaste: true });
    if (rest !== "") take({ text: rest, isPaste: false });
  }

  function giveKeys(): void {
    const keys = held;
    held = "";
    take({ text: keys, isPaste: false });
  }
}

/** How many characters at the end of a text may be the start of a begin mark. */
function beginningAtEnd(text: string): number {
  for (let length = begin.length - 1; length > 0; length--) if (text.endsWith(begin.slice(0, length))) return length;
  return 0;
}

/**
 * Runs an action after a time without input, in milliseconds. On a busy machine a timer may fire before pending input is read, which one
 * turn of the event loop does.
 *
 * @returns a function that cancels it
 */
function whenQuiet(ms: number, action: () => void): () => void {
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    turn = setImmediate(action);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}

/** The name of a key: `enter`, `ctrl+c`, `alt+enter`, `shift+tab`. */
export type KeyName = KeyId;

export { isKeyRepeat };

/** Whether the input is one of these keys, in any terminal's encoding. */
export function isKey(typed: string, ...names: readonly KeyName[]): boolean {
  return names.some((name) => matchesKey(typed, name));
}

/** A key with Shift, from a terminal that may leave out what Shift makes of it. */
const shiftOnly = /\[[\d:]+;2(?::\d+)?u$/;

/** The character that a key types; undefined for other keys. */
export function characterOf(typed: string): string | undefined {
  const decoded = decodeKittyPrintable(typed);
  if (decoded !== undefined) return shiftOnly.test(typed) ? decoded.toUpperCase() : decoded;
  return /^[^\p{Cc}\p{Cs}]/u.test(typed) ? typed : undefined;
}

/** Splits terminal input: one call of `take` for each key or report, even if it arrives in pieces. */
function splitKeys(take: (key: string) => void): (text: string) => void {
  const buffer = new StdinBuffer();
  let high = "";
  buffer.on("data", (key: string) => {
    // A character outside the BMP arrives in two halves.
    const whole = high + key;
    high = /^[\ud800-\udbff]$/.test(whole) ? whole : "";
    if (high === "") take(whole);
  });
  return (text) => buffer.process(text);
}
