// The text of a file as it is edited: how it is read, its encoding and line ends, and where a text is in it.

import { isUtf8 } from "node:buffer";
import { readSync } from "node:fs";
import type { RegularFile } from "@ikigai/tool-files";
import { ToolFailure } from "@ikigai/tool-sdk";

/** Maximum bytes per read: the system reads at most 2 GiB. */
const maxReadBytes = 1_073_741_824;

/** Minimum growth of a buffer that turned out too small, in bytes. */
const minGrowthBytes = 65_536;

/**
 * Reads a whole file. Its size is only a hint: files in /proc report 0, and others grow.
 *
 * @throws RangeError if it is longer than the largest buffer.
 * @throws the system's error of a failed read.
 */
export function readWhole({ fd, stats }: RegularFile): Buffer {
  // One extra byte detects the end without a second buffer.
  let buffer = Buffer.allocUnsafe(Number(stats.size) + 1);
  let length = 0;
  for (;;) {
    const read = readSync(fd, buffer, length, Math.min(buffer.length - length, maxReadBytes), null);
    if (read === 0) return buffer.subarray(0, length);
    length += read;
    if (length === buffer.length) buffer = Buffer.concat([buffer], 2 * length + minGrowthBytes);
  }
}

/** An edit: what to replace by what. */
export interface Edit {
  readonly wanted: Buffer;
  readonly replacement: Buffer;
  readonly all: boolean;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The bytes that are edited, and how they become the file's again. */
export interface EditedText {
  readonly bytes: Buffer;
  encode(bytes: Buffer): Buffer;
}

/**
 * Returns a file's text in UTF-8: UTF-16 with a byte order mark is decoded, everything else is as it is.
 *
 * @throws ToolFailure `ENCODING` for UTF-16 that would not be the same again.
 */
export function editedText(file: Buffer): EditedText {
  const mark = file.length < 2 ? 0 : file.readUInt16BE(0);
  if (mark !== 0xfffe && mark !== 0xfeff) return { bytes: file, encode: (bytes) => bytes };
  const isLittle = mark === 0xfffe;
  const bytes = Buffer.from(new TextDecoder(isLittle ? "utf-16le" : "utf-16be", { ignoreBOM: true }).decode(file));
  const encode = (text: Buffer) => {
    const little = Buffer.from(text.toString("utf8"), "utf16le");
    return isLittle ? little : little.swap16();
  };
  // UTF-32 has the same mark, with NUL after it.
  if (!bytes.subarray(0, 4).includes(0) && encode(bytes).equals(file)) return { bytes, encode };
  const name = isLittle ? "UTF-16LE" : "UTF-16BE";
  const hint = "Find out what it is (file FILE), and replace the bytes with a program that knows it.";
  throw new ToolFailure<"ENCODING">("ENCODING", `The file is not valid ${name}. Nothing was changed.`, { hint });
}

/** An edit never leaves a file in two encodings. @throws ToolFailure `ENCODING` */
export function checkEncoding(file: Buffer, replacement: Buffer): void {
  const isAscii = replacement.every((byte) => byte < 0x80);
  if (isAscii || isUtf8(file)) return;
  throw new ToolFailure<"ENCODING">(
    "ENCODING",
    "The file is not UTF-8, and new_string has characters that are not ASCII. Nothing was changed.",
    {
      hint: "Find out the encoding (file FILE), and replace the bytes with a program that knows it, or convert the file with iconv.",
    },
  );
}

/**
 * Gives an edit the line ends of its file: in a file whose lines all end in CRLF, LF in both texts means CRLF. In a file with both
 * line ends it stays exact, with a warning if it inserts some.
 */
export function withLineEndsOf(file: Buffer, edit: Edit): { readonly edit: Edit; readonly warning?: string } {
  if (!hasBareLineFeed(edit.wanted) && !hasBareLineFeed(edit.replacement)) return { edit };
  if (!file.includes("\r\n")) return { edit };
  if (!hasBareLineFeed(file)) {
    return { edit: { ...edit, wanted: toCrlf(edit.wanted), replacement: toCrlf(edit.replacement) } };
  }
  if (!hasBareLineFeed(edit.replacement)) return { edit };
  return { edit, warning: "The file has \\r\\n and \\n at its line ends; new_string was written exactly, with \\n." };
}

function hasBareLineFeed(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at - 1] !== carriageReturn) return true;
  }
  return false;
}

function toCrlf(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("latin1").replace(/(?<!\r)\n/g, "\r\n"), "latin1");
}

/** Occurrences of some bytes in others. */
export interface Occurrences {
  /** Number of occurrences, counted from the start without overlaps. */
  readonly count: number;
  /** Numbers of the first lines on which one starts, from 1. */
  readonly lines: readonly number[];
}

/** A line feed. */
const lineEnd = 0x0a;

/** Counts occurrences of `wanted` and returns at most `maxLines` of their line numbers. */
export function findOccurrences(bytes: Buffer, wanted: Buffer, maxLines: number): Occurrences {
  const lines: number[] = [];
  let count = 0;
  let line = 1;
  let counted = 0;
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length)) {
    count++;
    if (lines.length === maxLines) continue;
    line += countLineEnds(bytes.subarray(counted, at));
    counted = at;
    if (lines.at(-1) !== line) lines.push(line);
  }
  return { count, lines };
}

/** The number of line ends in these bytes. */
export function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(lineEnd); at >= 0; at = bytes.indexOf(lineEnd, at + 1)) count++;
  return count;
}

/**
 * Replaces the first `count` occurrences of `wanted`.
 *
 * @throws RangeError if the result is longer than the largest buffer.
 */
export function replaceBytes(bytes: Buffer, wanted: Buffer, replacement: Buffer, count: number): Buffer {
  const result = Buffer.allocUnsafe(bytes.length + count * (replacement.length - wanted.length));
  let from = 0;
  let to = 0;
  for (let left = count; left > 0; left--) {
    const at = bytes.indexOf(wanted, from);
    to += bytes.copy(result, to, from, at);
    to += replacement.copy(result, to);
    from = at + wanted.length;
  }
  bytes.copy(result, to, from);
  return result;
}
