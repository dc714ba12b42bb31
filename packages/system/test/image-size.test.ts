import { expect, test } from "vitest";
import { imageSize } from "../src/files/image-size.ts";

const u16le = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.from([value & 255, value >> 8])));
const u16be = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 255])));
const u24le = (...values: number[]) =>
  Buffer.concat(values.map((value) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16])));
const text = (latin1: string) => Buffer.from(latin1, "latin1");
const lengthOf = ({ length }: Buffer) => Buffer.concat([u16le(length & 0xffff), u16le(length >>> 16)]);

function pngChunk(type: string, data: Buffer): Buffer {
  return Buffer.concat([lengthOf(data).reverse(), text(type), data, Buffer.alloc(4)]);
}
const pngHeader = (width: number, height: number) =>
  pngChunk("IHDR", Buffer.concat([Buffer.alloc(2), u16be(width), Buffer.alloc(2), u16be(height), Buffer.alloc(5)]));
const png = (...chunks: Buffer[]) => Buffer.concat([text("\x89PNG\r\n\x1a\n"), ...chunks, pngChunk("IEND", text(""))]);

const gif = (width: number, height: number, ...blocks: Buffer[]) =>
  // With a table of two colors.
  Buffer.concat([text("GIF89a"), u16le(width, height), text("\x80\0\0"), Buffer.alloc(6), ...blocks, text(";")]);
const gifFrame = (left: number, top: number, width: number, height: number) =>
  Buffer.concat([text(","), u16le(left, top, width, height), text("\x81"), Buffer.alloc(12), text("\x02\x03,,,\0")]);
const gifComment = text("!\xfe\x05,;,;,\0");

const webp = (...chunks: Buffer[]) => Buffer.concat([text("RIFF\0\0\0\0WEBP"), ...chunks]);
const webpChunk = (type: string, data: Buffer) =>
  Buffer.concat([text(type), lengthOf(data), data, Buffer.alloc(data.length % 2)]);
const canvas = (width: number, height: number) =>
  webpChunk("VP8X", Buffer.concat([Buffer.alloc(4), u24le(width - 1, height - 1)]));
const lossy = (width: number, height: number) =>
  webpChunk("VP8 ", Buffer.concat([text("\0\0\0\x9d\x01\x2a"), u16le(width, height), text("odd")]));
const lossless = (width: number, height: number) => {
  const bits = (width - 1) | ((height - 1) << 14);
  return webpChunk("VP8L", Buffer.concat([text("/"), u16le(bits & 0xffff, bits >>> 16)]));
};
const frame = (left: number, top: number, width: number, height: number, ...chunks: Buffer[]) =>
  webpChunk("ANMF", Buffer.concat([u24le(left / 2, top / 2, width - 1, height - 1), Buffer.alloc(4), ...chunks]));

const segment = (kind: number, data: Buffer) =>
  Buffer.concat([Buffer.from([0xff, kind]), u16be(data.length + 2), data]);
const start = (kind: number, width: number, height: number) =>
  segment(kind, Buffer.concat([text("\x08"), u16be(height, width), Buffer.alloc(4)]));
const scan = Buffer.concat([segment(0xda, Buffer.alloc(6)), text("data\xff\0\xff\xd3more")]);
const jpeg = (...segments: Buffer[]) => Buffer.concat([text("\xff\xd8"), ...segments, text("\xff\xd9")]);

const size = (width: number, height: number) => ({ width, height });

test.each<[string, Buffer, ReturnType<typeof size> | undefined]>([
  ["a PNG", png(pngHeader(3, 4)), size(3, 4)],
  ["a PNG with another header", png(pngHeader(3, 4), pngHeader(9_000, 9)), undefined],
  ["a PNG whose data looks like a header", png(pngHeader(3, 4), pngChunk("IDAT", pngHeader(9_000, 9))), size(3, 4)],
  ["a GIF", gif(3, 4, gifComment, gifFrame(0, 0, 3, 4)), size(3, 4)],
  ["a GIF with a larger frame", gif(3, 4, gifFrame(0, 0, 3, 4), gifComment, gifFrame(0, 0, 2, 9_000)), size(3, 9_000)],
  ["a GIF with a frame beyond its edge", gif(3, 4, gifFrame(9_000, 1, 3, 3)), size(9_003, 4)],
  ["a GIF with a frame after its end", gif(3, 4, text(";"), gifFrame(0, 0, 9_000, 1)), size(3, 4)],
  ["a GIF with an unknown block", gif(3, 4, text("x"), gifFrame(0, 0, 9_000, 1)), undefined],
  ["a cut GIF", gif(3, 4, gifFrame(0, 0, 9, 9)).subarray(0, -4), size(9, 9)],
  ["a lossy WebP", webp(lossy(3, 4)), size(3, 4)],
  ["a WebP with a larger image than its canvas", webp(canvas(3, 4), lossless(9_000, 1)), size(9_000, 4)],
  [
    "a WebP with a larger lossy image",
    webp(canvas(3, 4), webpChunk("ALPH", text("odd")), lossy(1, 9_000)),
    size(3, 9_000),
  ],
  ["a WebP with a canvas after its image", webp(lossy(3, 4), canvas(9_000, 9_000)), size(9_000, 9_000)],
  [
    "an animated WebP",
    webp(canvas(9, 9), frame(0, 0, 9, 9, lossy(9, 9)), frame(2, 2, 4, 4, lossless(4, 4))),
    size(9, 9),
  ],
  ["an animated WebP with a larger frame", webp(canvas(9, 9), frame(0, 0, 9_000, 9, lossy(9, 9))), size(9_000, 9)],
  ["an animated WebP with a larger image", webp(canvas(9, 9), frame(0, 0, 9, 9, lossy(9, 9_000))), size(9, 9_000)],
  ["a JPEG", jpeg(segment(0xe0, text("JFIF")), start(0xc0, 3, 4), scan), size(3, 4)],
  ["a JPEG with another frame", jpeg(start(0xc0, 3, 4), start(0xc2, 9_000, 1), scan), size(9_000, 4)],
  ["a JPEG with a frame after its data", jpeg(start(0xc0, 3, 4), scan, start(0xc1, 9_000, 1), scan), size(9_000, 4)],
  ["a JPEG with a hierarchy", jpeg(start(0xde, 9_000, 1), start(0xc5, 3, 4), scan), size(9_000, 4)],
  ["a JPEG with its height after its data", jpeg(start(0xc0, 3, 0), scan, segment(0xdc, u16be(9_000))), size(3, 9_000)],
  ["a JPEG with a thumbnail", jpeg(segment(0xe1, jpeg(start(0xc0, 9_000, 9))), start(0xc0, 3, 4), scan), size(3, 4)],
  ["a JPEG with a table", jpeg(segment(0xc4, start(0xc0, 9_000, 9)), start(0xc0, 3, 4), scan), size(3, 4)],
  ["a JPEG with text between its segments", jpeg(start(0xc0, 3, 4), text("x"), start(0xc0, 9_000, 9)), undefined],
  ...[0x00, 0x01, 0xd0, 0xd7, 0xd8].map((kind): [string, Buffer, undefined] => [
    `a JPEG whose frame is in the length of the marker ${kind}, which has none`,
    jpeg(Buffer.from([0xff, kind]), segment(0xc0, text("\x08")), start(0xc0, 9_000, 9), start(0xc0, 3, 4), scan),
    undefined,
  ]),
  ["a cut JPEG", jpeg(start(0xc0, 3, 4), scan).subarray(0, -4), size(3, 4)],
  ["no image", text("text"), undefined],
])("the size of %s is the largest that it claims", (_, bytes, expected) => {
  expect(imageSize(bytes)).toEqual(expected);
});

test("takes time in proportion to the size", () => {
  const large = 5 * 1_048_576;
  const before = process.cpuUsage();
  const sizes = [
    Buffer.concat([gif(3, 4).subarray(0, 19), Buffer.alloc(large, "!\xfe\0", "latin1")]),
    Buffer.concat([jpeg(start(0xc0, 3, 4), scan).subarray(0, -2), Buffer.alloc(large, "\xff\0", "latin1")]),
    Buffer.concat([jpeg(start(0xc0, 3, 4)).subarray(0, -2), Buffer.alloc(large, 0xff)]),
    Buffer.concat([webp(lossy(3, 4)), Buffer.alloc(large)]),
    Buffer.concat([png(pngHeader(3, 4)).subarray(0, -12), Buffer.alloc(large)]),
  ].map(imageSize);
  expect(sizes).toEqual(Array(5).fill({ width: 3, height: 4 }));
  expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
});
