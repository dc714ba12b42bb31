import { hasInvisible } from "./invisible.ts";

/**
 * Terminal sequences: CSI, strings (OSC, DCS, SOS, PM, APC), other escapes. No loop can start within another one's text, and without
 * the flag "u" a loop of characters needs no stack, so that a sequence may have any length.
 */
const sequence = new RegExp(
  [
    "(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]",
    "(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b\\x80-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)",
    "\\x1b[ -/]*[0-~]",
  ].join("|"),
  "y",
);

/** What begins one, besides the escape character. */
const introducer = /[\u0090\u0098\u009b\u009d-\u009f]/;

/** All characters that end a line. */
export const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/;

/** What a UTF-16 unit is. Most are visible, so these and spaces come first. */
const kinds = { visible: 0, space: 1, lineBreak: 2, hidden: 3, introducer: 4, surrogate: 5, unknown: 6 } as const;

const knownKinds = new Uint8Array(65_536).fill(kinds.unknown);

function findKind(unit: number): number {
  const character = String.fromCharCode(unit);
  if (lineBreak.test(character)) return kinds.lineBreak;
  if (/\s/.test(character)) return kinds.space;
  if (character === "\u001b" || introducer.test(character)) return kinds.introducer;
  if (/[\ud800-\udfff]/.test(character)) return kinds.surrogate;
  return hasInvisible(character) ? kinds.hidden : kinds.visible;
}

/** Shorter runs are copied faster by a loop. */
const longRun = 24;

/**
 * Moves the units of a text that may be part of a key to the front: all but invisible characters, line breaks and the white space around
 * them. Returns how many they are, and whether there was a terminal sequence.
 *
 * @param units of the text.
 * @param withSequences whether terminal sequences stay, except for their control characters.
 * @param origins gets the offset of each unit in the text.
 */
export function keepVisible(
  units: Uint8Array | Uint16Array,
  text: string,
  { withSequences, origins }: { readonly withSequences: boolean; readonly origins?: Uint32Array | undefined },
): { length: number; hasSequences: boolean } {
  const kindOf = knownKinds;
  const total = units.length;
  let [length, isAfterBreak, hasSequences] = [0, false, false];
  for (let at = 0; at < total; ) {
    if (isAfterBreak) while (at < total && kindOf[units[at] ?? 0] === kinds.space) at++;
    const start = at;
    while (at < total && (kindOf[units[at] ?? 0] ?? 0) <= kinds.space) at++;
    if (at > start) {
      isAfterBreak = false;
      if (at - start < longRun) for (let from = start, to = length; from < at; ) units[to++] = units[from++] ?? 0;
      else units.copyWithin(length, start, at);
      if (origins) for (let from = start, to = length; from < at; ) origins[to++] = from++;
      length += at - start;
    }
    if (at >= total) break;
    const unit = units[at] ?? 0;
    const kind = learnKind(unit);
    if (kind === kinds.lineBreak) {
      while (length > 0 && kindOf[units[length - 1] ?? 0] === kinds.space) length--;
      isAfterBreak = true;
      at++;
    } else if (kind >= kinds.hidden) {
      hasSequences ||= kind === kinds.introducer;
      const hidden = hiddenLength(kind, text, at, withSequences);
      at += hidden;
      if (hidden > 0) continue;
      isAfterBreak = false;
      units[length] = unit;
      if (origins) origins[length] = at;
      length++;
      at++;
    }
  }
  return { length, hasSequences };
}

function learnKind(unit: number): number {
  const known = knownKinds[unit] ?? kinds.unknown;
  if (known !== kinds.unknown) return known;
  const kind = findKind(unit);
  knownKinds[unit] = kind;
  return kind;
}

/** How many units at an offset are invisible; 0 if the unit there is visible. */
function hiddenLength(kind: number, text: string, at: number, withSequences: boolean): number {
  if (kind === kinds.surrogate) return hiddenPart(text, at);
  if (kind === kinds.hidden || withSequences) return 1;
  sequence.lastIndex = at;
  return sequence.test(text) ? sequence.lastIndex - at : 1;
}

/** The length of an invisible character that is written with surrogates, or of half a character. */
function hiddenPart(text: string, at: number): number {
  if (isWhole(text, at - 1)) return 0;
  if (!isWhole(text, at)) return 1;
  return hasInvisible(text.slice(at, at + 2)) ? 2 : 0;
}

function isWhole(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff;
}
