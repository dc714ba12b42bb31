// An image as the control sequences of a terminal. Of a PNG only what makes the picture goes there.
import { inflateSync } from "node:zlib";
import type { Picture } from "./picture.ts";

/** An image whose file may be gone. */
interface ImageFile {
  readonly bytes?: Buffer | undefined;
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

/** How a terminal takes images: the graphics protocol of kitty, or that of iTerm2. */
export type ImageProtocol = "kitty" | "iterm2";

/** The pixels of a terminal's cell, roughly: few terminals say how many they are. */
const cell = { width: 8, height: 16 };

/** Rows of an image at most: it should leave room for the conversation. */
const maxRows = 20;

/** The largest part of a row that an image takes: cells may be narrower than assumed. */
const maxShare = 0.9;

/** The longest piece of data in a sequence of kitty's protocol, in bytes. */
const pieceBytes = 4_096;

/** The space that an image may take. */
export interface ImageRoom {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Returns an image as control sequences, which contain only base64 of its file; `undefined` if the terminal cannot take it, or if it
 * is a PNG that is not valid.
 */
export function placeImage(image: ImageFile, protocol: ImageProtocol, room: ImageRoom): Picture | undefined {
  const { bytes, mediaType } = image;
  if (!bytes) return undefined;
  const isPng = mediaType === "image/png";
  // Kitty's protocol has no other format.
  if (protocol === "kitty" && !isPng) return undefined;
  const content = isPng ? plainPng(bytes) : bytes;
  if (!content) return undefined;
  const rows = rowsOf(image, room);
  const data = content.toString("base64");
  const draw = protocol === "kitty" ? kittySequence(data, rows) : itermSequence(data, content.length, rows);
  const up = rows > 1 ? `\u001b[${rows - 1}A` : "";
  // The cursor returns to the last of the rows.
  return { rows, sequence: `\u001b7${up}\r\u001b[2C${draw}\u001b8` };
}

function rowsOf({ width, height }: ImageFile, room: ImageRoom): number {
  const columns = Math.max(1, Math.min(width / cell.width, room.columns * maxShare));
  const rows = Math.ceil((columns * cell.width * height) / width / cell.height);
  return Math.max(1, Math.min(rows, maxRows, room.rows));
}

/** `C=1` leaves the cursor where it is, and `q=2` asks for no reply. */
function kittySequence(data: string, rows: number): string {
  const pieces: string[] = [];
  for (let start = 0; start < data.length; start += pieceBytes) {
    const control = start === 0 ? `a=T,f=100,q=2,C=1,r=${rows},` : "";
    const more = start + pieceBytes < data.length ? 1 : 0;
    pieces.push(`\u001b_G${control}m=${more};${data.slice(start, start + pieceBytes)}\u001b\\`);
  }
  return pieces.join("");
}

function itermSequence(data: string, bytes: number, rows: number): string {
  return `\u001b]1337;File=inline=1;size=${bytes};height=${rows};preserveAspectRatio=1:${data}\u0007`;
}

/** The chunks that make the picture. All others are left out: comments, profiles, compressed texts. */
const wanted = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"];

/** Samples of a pixel by colour type. */
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

const signatureBytes = 8;

/** Bytes of a chunk besides its data: length, type and checksum. */
const frameBytes = 12;

/**
 * Returns a PNG with only what makes the picture; `undefined` if it is not valid, or if its data is larger than its size needs: a few
 * kilobytes may become gigabytes in a terminal that trusts them.
 */
export function plainPng(bytes: Buffer): Buffer | undefined {
  const chunks = chunksOf(bytes);
  if (chunks?.[0]?.type !== "IHDR" || chunks.at(-1)?.type !== "IEND") return undefined;
  const [{ data: header }] = chunks;
  const data = chunks.filter(({ type }) => type === "IDAT").map((chunk) => chunk.data);
  // Some decoders take the last header.
  if (chunks.filter(({ type }) => type === "IHDR").length > 1) return undefined;
  if (header.length !== 13 || data.length === 0 || !fits(Buffer.concat(data), largestData(header))) return undefined;
  const kept = chunks.filter(({ type }) => wanted.includes(type)).map(({ whole }) => whole);
  return Buffer.concat([bytes.subarray(0, signatureBytes), ...kept]);
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  readonly whole: Buffer;
}

function chunksOf(bytes: Buffer): [Chunk, ...Chunk[]] | undefined {
  const chunks: Chunk[] = [];
  for (let at = signatureBytes; at + frameBytes <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = at + frameBytes + length;
    if (end > bytes.length) return undefined;
    const type = bytes.toString("latin1", at + 4, at + 8);
    chunks.push({ type, data: bytes.subarray(at + 8, at + 8 + length), whole: bytes.subarray(at, end) });
    if (type === "IEND") break;
    at = end;
  }
  const [first, ...rest] = chunks;
  return first && [first, ...rest];
}

/** How long the data of a picture may be: interlaced ones have up to twice as many rows, each with a byte for its filter. */
function largestData(header: Buffer): number {
  const pixelBits = header.readUInt8(8) * (samples[header.readUInt8(9)] ?? 0);
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const isInterlaced = header.readUInt8(12) !== 0;
  const rowBytes = 1 + Math.ceil((width * pixelBits) / 8);
  return height * rowBytes + (isInterlaced ? 2 * (width + height) * 8 : 0);
}

function fits(compressed: Buffer, maxBytes: number): boolean {
  try {
    return inflateSync(compressed, { maxOutputLength: maxBytes }).length > 0;
  } catch {
    // Too long, or not compressed data.
    return false;
  }
}
