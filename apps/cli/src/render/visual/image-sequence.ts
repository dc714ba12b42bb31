import type { ShownImage } from "@ikigai/agent/internal";
import type { Picture } from "./picture.ts";
import { plainPng } from "./plain-png.ts";

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
export function placeImage(image: ShownImage, protocol: ImageProtocol, room: ImageRoom): Picture | undefined {
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

function rowsOf({ width, height }: ShownImage, room: ImageRoom): number {
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
