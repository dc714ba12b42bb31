import { headEnd, leaveOutMiddle } from "@ikigai/system";

/** Which part of a text survives. */
type Keeps = "head" | "head and tail";

/** An object whose fields can be cut one by one. */
type Fields = Readonly<Record<string, unknown>>;

/** How many bytes a value takes as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "null");
}

/** How many bytes of a value's JSON can be cut away. */
export function cuttableBytes(value: unknown): number {
  if (typeof value !== "string" && !Array.isArray(value) && !isFields(value)) return 0;
  return jsonBytes(value) - jsonBytes(emptyValue(value));
}

/** A value without all that can be cut: its texts and lists are empty, its numbers and names are still there. */
export function emptyValue(value: unknown): unknown {
  if (typeof value === "string") return "";
  if (Array.isArray(value)) return [];
  if (isFields(value)) return mapFields(value, emptyValue);
  return value;
}

/**
 * Cuts a value so that its JSON is at most `room` bytes longer than that of its `emptyValue`: a text at the end of a line, or inside
 * a line that is longer than the room for it; a list by its last items, or inside the first item if that alone is too long; an object
 * in its longest fields.
 */
export function cutValue(value: unknown, room: number, keeps: Keeps): unknown {
  if (cuttableBytes(value) <= room) return value;
  if (typeof value === "string") return cutText(value, room, keeps);
  if (Array.isArray(value)) return cutList(value, room, keeps);
  if (isFields(value)) return cutFields(value, room, keeps);
  return value;
}

function cutText(text: string, room: number, keeps: Keeps): string {
  if (keeps === "head") return text.slice(0, headEnd(text, room));
  return leaveOutMiddle({ head: text, tail: text, bytes: Buffer.byteLength(text) }, room);
}

function cutList(items: readonly unknown[], room: number, keeps: Keeps): unknown[] {
  let left = room;
  const end = items.findIndex((item) => {
    left -= jsonBytes(item) + 1;
    return left < 0;
  });
  if (end !== 0) return end < 0 ? [...items] : items.slice(0, end);
  const [first] = items;
  const cutFirst = cutValue(first, room - jsonBytes(emptyValue(first)), keeps);
  return jsonBytes(cutFirst) <= room && cuttableBytes(cutFirst) > 0 ? [cutFirst] : [];
}

/** Gives every field the same room; what a short one leaves over goes to the others. */
function cutFields(fields: Fields, room: number, keeps: Keeps): Fields {
  const sizes = Object.values(fields)
    .map(cuttableBytes)
    .filter((bytes) => bytes > 0)
    .sort((one, other) => one - other);
  let left = room;
  let share = 0;
  for (const [index, bytes] of sizes.entries()) {
    share = Math.floor(left / (sizes.length - index));
    if (bytes > share) break;
    left -= bytes;
  }
  return mapFields(fields, (value) => cutValue(value, share, keeps));
}

function mapFields(fields: Fields, map: (value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value)]));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !("toJSON" in value) && !Array.isArray(value);
}
