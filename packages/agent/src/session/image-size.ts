/** The width and height of an image, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Reads the size that an image claims in its header: PNG, JPEG, GIF or WebP, by its content. Nothing is decompressed. Returns
 * `undefined` for a header that is incomplete or has another form.
 */
export function imageSize(bytes: Buffer): ImageSize | undefined {
  try {
    const size = sizeIn(bytes);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // The header ends early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sizeIn(bytes: Buffer): ImageSize | undefined {
  const head = bytes.subarray(0, 16).toString("latin1");
  if (head.startsWith("\x89PNG")) {
    if (head.slice(12, 16) !== "IHDR") return undefined;
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (head.startsWith("GIF8")) return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (head.startsWith("RIFF")) return webpSize(bytes, head.slice(12, 16));
  return head.startsWith("\xff\xd8\xff") ? jpegSize(bytes) : undefined;
}

function webpSize(bytes: Buffer, form: string): ImageSize | undefined {
  if (form === "VP8X") return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (form === "VP8 ") return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (form !== "VP8L") return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** The size is in the first segment that starts a frame. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  for (let at = 2; ; at += 2 + bytes.readUInt16BE(at + 2)) {
    // A segment may begin with any number of these.
    while (bytes.readUInt8(at) === 0xff && bytes.readUInt8(at + 1) === 0xff) at++;
    if (bytes.readUInt8(at) !== 0xff) return undefined;
    const kind = bytes.readUInt8(at + 1);
    const isFrame = kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
}
