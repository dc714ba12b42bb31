// The size of a PNG, GIF, WebP or JPEG, read from its header.

/** The width and height of an image, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Reads the size that an image claims: PNG, JPEG, GIF or WebP, by its content. Nothing is decompressed. A file may claim several, for its
 * canvas and for each frame, and a decoder may take any of them: the largest counts. Returns `undefined` for an image that claims none or
 * has another form.
 */
export function imageSize(bytes: Buffer): ImageSize | undefined {
  let width = 0;
  let height = 0;
  try {
    for (const size of sizesIn(bytes)) {
      width = Math.max(width, size.width);
      height = Math.max(height, size.height);
    }
  } catch (error) {
    if (error instanceof OtherForm) return undefined;
    // It ends early.
    if (!(error instanceof RangeError)) throw error;
  }
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Thrown inside, where a decoder could only guess what follows. */
class OtherForm extends Error {}

function sizesIn(bytes: Buffer): Iterable<ImageSize> {
  const head = bytes.subarray(0, 12).toString("latin1");
  if (head.startsWith("\x89PNG")) return pngSizes(bytes);
  if (head.startsWith("GIF8")) return gifSizes(bytes);
  if (head.startsWith("RIFF")) return webpSizes(bytes);
  return head.startsWith("\xff\xd8\xff") ? jpegSizes(bytes) : [];
}

/** One header comes first; others are not valid. */
function* pngSizes(bytes: Buffer): Generator<ImageSize> {
  if (nameAt(bytes, 12) !== "IHDR") throw new OtherForm();
  yield { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  for (let at = 8 + 12 + bytes.readUInt32BE(8); ; at += 12 + bytes.readUInt32BE(at)) {
    const name = nameAt(bytes, at + 4);
    if (name === "IHDR") throw new OtherForm();
    if (name === "IEND") return;
  }
}

function* gifSizes(bytes: Buffer): Generator<ImageSize> {
  yield { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  let at = 13 + colorTable(bytes.readUInt8(10));
  for (;;) {
    const kind = bytes.readUInt8(at);
    if (kind === 0x3b) return;
    if (kind === 0x21) at += 2;
    else if (kind === 0x2c) {
      const [left, top] = [bytes.readUInt16LE(at + 1), bytes.readUInt16LE(at + 3)];
      yield { width: left + bytes.readUInt16LE(at + 5), height: top + bytes.readUInt16LE(at + 7) };
      at += 11 + colorTable(bytes.readUInt8(at + 9));
    } else throw new OtherForm();
    while (bytes.readUInt8(at) !== 0) at += 1 + bytes.readUInt8(at);
    at++;
  }
}

/** The length of the color table that a byte of flags announces. */
function colorTable(flags: number): number {
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}

function* webpSizes(bytes: Buffer): Generator<ImageSize> {
  for (let at = 12; ; ) {
    const kind = nameAt(bytes, at);
    const length = bytes.readUInt32LE(at + 4);
    at += 8;
    if (kind === "VP8X") yield { width: bytes.readUIntLE(at + 4, 3) + 1, height: bytes.readUIntLE(at + 7, 3) + 1 };
    if (kind === "VP8 ")
      yield { width: bytes.readUInt16LE(at + 6) & 0x3fff, height: bytes.readUInt16LE(at + 8) & 0x3fff };
    if (kind === "VP8L") {
      const bits = bytes.readUInt32LE(at + 1);
      yield { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    if (kind === "ANMF") {
      const [left, top] = [bytes.readUIntLE(at, 3) * 2, bytes.readUIntLE(at + 3, 3) * 2];
      yield { width: left + bytes.readUIntLE(at + 6, 3) + 1, height: top + bytes.readUIntLE(at + 9, 3) + 1 };
      // The chunks of the frame follow.
      at += 16;
    } else at += length + (length % 2);
  }
}

/** In a segment that starts a frame or a hierarchy of them, or one that says how many lines there are. */
function* jpegSizes(bytes: Buffer): Generator<ImageSize> {
  for (let at = 2; ; ) {
    // A segment may begin with any number of these.
    while (bytes.readUInt8(at) === 0xff && bytes.readUInt8(at + 1) === 0xff) at++;
    if (bytes.readUInt8(at) !== 0xff) throw new OtherForm();
    const kind = bytes.readUInt8(at + 1);
    if (kind === endOfImage) return;
    if (hasNoLength(kind)) throw new OtherForm();
    if (isFrame(kind)) yield { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    if (kind === numberOfLines) yield { width: 0, height: bytes.readUInt16BE(at + 4) };
    at += 2 + bytes.readUInt16BE(at + 2);
    if (kind === startOfScan) at = endOfScan(bytes, at);
  }
}

const [endOfImage, startOfScan, numberOfLines] = [0xd9, 0xda, 0xdc];

/** Decoders skip such a marker between segments, but not what would be its length. */
function hasNoLength(kind: number): boolean {
  return kind <= 0x01 || (kind >= 0xd0 && kind <= 0xd8);
}

function isFrame(kind: number): boolean {
  return kind === 0xde || (kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc);
}

/** Where the segment after the data of a scan begins: a marker that is neither a byte of the data nor a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; ; at++) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) throw new RangeError();
    const next = bytes.readUInt8(at + 1);
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
}

function nameAt(bytes: Buffer, at: number): string {
  return bytes.toString("latin1", at, at + 4);
}
