import { StringDecoder } from "node:string_decoder";
import { textStart } from "@ikigai/protocol";
import { exitCodes } from "../../host/exit-codes.ts";
import { shutdown } from "../../host/shutdown.ts";
import { splitKeys } from "../pi-tui/keys.ts";

export interface KeyListener {
  key(typed: string): void;
  paste(text: string): void;
}

/** A longer paste is no message, in characters. */
const maxPasteLength = 1_048_576;

/** Reads the keys of the terminal, and what is pasted into it, until the function that is returned is called. */
export function readKeys({ key, paste }: KeyListener): () => void {
  const { stdin } = process;
  const decoder = new StringDecoder("utf8");
  const takeKeys = splitKeys(key);
  let isOpen = true;
  // Before the keys are split: pi-tui would end a paste at the first end mark, which may be part of a hostile text.
  const filter = createPasteFilter(({ text, isPaste }) => {
    if (!isOpen) return;
    if (isPaste) paste(textStart(text, maxPasteLength));
    else takeKeys(text);
  });
  const take = (chunk: Buffer) => filter(decoder.write(chunk));
  // The terminal is gone.
  const hangUp = () => isOpen && void shutdown(exitCodes.hangup);
  stdin.on("data", take).on("end", hangUp).on("error", hangUp);
  stdin.resume();
  return () => {
    isOpen = false;
    stdin.off("data", take).pause();
  };
}

/** What came from a terminal: keys, or a text that was pasted. */
interface Typed {
  readonly text: string;
  readonly isPaste: boolean;
}

const begin = "\u001b[200~";
const end = "\u001b[201~";

/**
 * How long it has to be quiet before something counts as typed by a person, in milliseconds: an escape sequence that came in
 * two parts is complete by then, and whatever a paste contained has come.
 */
const quietMs = 20;

/** How long a paste that has no end may pause, in milliseconds. */
const lostEndMs = 1_000;

/** More than this is not kept, in characters. */
const maxLength = 16 * 1_048_576;

/**
 * Tells what is pasted from what is typed, by the marks that terminals put around a paste.
 *
 * A text may contain the end mark itself, to have its rest taken for typed keys. So the paste ends with the last mark that
 * comes before a pause: nobody types in the same instant.
 */
function createPasteFilter(take: (typed: Typed) => void): (chunk: string) => void {
  let held = "";
  // The end of it, kept apart: to look at the end of a string that grows costs its whole length each time.
  let recent = "";
  let isPasting = false;
  let isEndSeen = false;
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;
  // On a busy machine the time may be over before what has come has been looked at: a turn of the loop does that.
  const whenQuiet = (then: () => void, ms: number) => {
    timer = setTimeout(() => {
      turn = setImmediate(then);
    }, ms);
  };

  return (chunk) => {
    clearTimeout(timer);
    clearImmediate(turn);
    const news = recent + chunk;
    recent = news.slice(-end.length + 1);
    if (isPasting) isEndSeen ||= news.includes(end);
    // What is too much is dropped, but not the end of the paste.
    held = held.length < maxLength ? held + chunk : textStart(held, maxLength) + news;
    if (!isPasting) findPaste();
    if (isPasting) whenQuiet(endPaste, isEndSeen ? quietMs : lostEndMs);
    else if (held !== "") whenQuiet(giveKeys, quietMs);
  };

  function findPaste(): void {
    const start = held.indexOf(begin);
    const keysEnd = start >= 0 ? start : held.length - beginningAtEnd(held);
    const keys = held.slice(0, keysEnd);
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

/** How much of the end of a text may be the beginning of a begin mark. */
function beginningAtEnd(text: string): number {
  for (let length = begin.length - 1; length > 0; length--) if (text.endsWith(begin.slice(0, length))) return length;
  return 0;
}
