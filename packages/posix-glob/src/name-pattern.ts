import { Buffer, isUtf8 } from "node:buffer";
import { ascii } from "./ascii.ts";
import { type ByteString, codesOf, fromText } from "./byte-string.ts";
import { fitsLiterals, fitsSteps, parseWildcards, toLiterals } from "./wildcard.ts";

/** A pattern for file names. */
export interface NamePattern {
  /** The only name it matches, if it has no wildcards. */
  readonly literal: ByteString | undefined;
  readonly takes: (name: ByteString) => boolean;
}

/** Which names with a leading dot wildcards match. */
interface DotOptions {
  /** All but `.`, `..` and `.git`; otherwise only after an explicit dot. */
  readonly takesHidden: boolean;
}

/** Names that wildcards never match where they match hidden files. */
const neverHidden = new Set([".", "..", ".git"]);

/** Whether `**` enters a directory, or matches a name. */
export function isBelowAny(name: ByteString): boolean {
  return !name.startsWith(".") || !neverHidden.has(name);
}

/** Parses a name pattern; `undefined` if it cannot match anything. */
export function parseNamePattern(text: string, { takesHidden }: DotOptions): NamePattern | undefined {
  const wildcards = parseWildcards(bytesOf(fromText(text)));
  if (wildcards === undefined) return undefined;
  // Stars and literals match the same bytes whether or not these form characters.
  const literals = toLiterals(wildcards);
  const fits = literals ? (name: ByteString) => fitsLiterals(literals, name) : byCharacters(text);
  if (literals && literals.tail === undefined) return { literal: literals.head, takes: fits };
  const hasDot = wildcards.head[0] === ascii.dot;
  const takes = takesHidden
    ? (name: ByteString) => isBelowAny(name) && fits(name)
    : (name: ByteString) => (hasDot || !name.startsWith(".")) && fits(name);
  return { literal: undefined, takes };
}

/** In a UTF-8 name, `?` and brackets match a character; in any other name, a byte. */
function byCharacters(text: string): NamePattern["takes"] {
  const wildcards = parseWildcards(codesOf(text));
  const byteWildcards = parseWildcards(bytesOf(fromText(text)).map(asStray));
  if (wildcards === undefined || byteWildcards === undefined) return () => false;
  return (name) => {
    const bytes = bytesOf(name);
    if (bytes.every(isAsciiByte)) return fitsSteps(wildcards, bytes);
    const buffer = Buffer.from(name, "latin1");
    return isUtf8(buffer)
      ? fitsSteps(wildcards, codesOf(buffer.toString()))
      : fitsSteps(byteWildcards, bytes.map(asStray));
  };
}

function bytesOf(name: ByteString): number[] {
  const bytes = new Array<number>(name.length);
  for (let index = 0; index < name.length; index++) bytes[index] = name.charCodeAt(index);
  return bytes;
}

function isAsciiByte(byte: number): boolean {
  return byte < 0x80;
}

/** The code of a stray byte, outside all character classes: 0xe9 must not match as é. */
function asStray(byte: number): number {
  return isAsciiByte(byte) ? byte : 0xdc00 + byte;
}
