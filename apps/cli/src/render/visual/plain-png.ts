import { inflateSync } from "node:zlib";

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
