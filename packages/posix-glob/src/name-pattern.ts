import { Buffer, isUtf8 } from "node:buffer";
import { ascii } from "./ascii.ts";
import { type ByteString, codesOf, fromText } from "./byte-string.ts";
import { fitsLiterals, fitsSteps, parseWildcards, toLiterals } from "./wildcard.ts";

/** A pattern of file names. */
export interface NamePattern {
  /** The one name it takes, where it has no wildcards. */
  readonly literal: ByteString | undefined;
  readonly takes: (name: ByteString) => boolean;
}

/** Whether wildcards behind an explicit dot take `.` and `..`. */
interface DotOptions {
  readonly takesDots: boolean;
}

/** Reads a pattern of names; nothing when it can match none. */
export function parseNamePattern(text: string, { takesDots }: DotOptions): NamePattern | undefined {
  const wildcards = parseWildcards(bytesOf(fromText(text)));
  if (wildcards === undefined) return undefined;
  // Stars and literals fit the same bytes whether or not these form characters.
  const literals = toLiterals(wildcards);
  const fits = literals ? (name: ByteString) => fitsLiterals(literals, name) : byCharacters(text);
  if (literals && literals.tail === undefined) return { literal: literals.head, takes: fits };
  const hasDot = wildcards.head[0] === ascii.dot;
  const takes = (name: ByteString) =>
    name.startsWith(".") ? hasDot && (takesDots || (name !== "." && name !== "..")) && fits(name) : fits(name);
  return { literal: undefined, takes };
}

/** `?` and brackets take a character of a name that is UTF-8, a byte of any other name. */
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

/** A byte on its own, as a code that is in no class of characters: 0xe9 must not pass for é. */
function asStray(byte: number): number {
  return isAsciiByte(byte) ? byte : 0xdc00 + byte;
}
