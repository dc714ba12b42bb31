import { headEnd, leaveOutMiddle } from "@ikigai/system";

/** Which part of a text survives. */
type Keeps = "head" | "head and tail";

/** An object whose fields can be cut one by one. */
type Fields = Readonly<Record<string, unknown>>;

/** An object with more fields is a map, such as sizes by file: without its last fields it is still useful. */
const maxNamedFields = 32;

/** A map keeps all its fields if the long ones can keep this much, in bytes. With less, a few whole fields say more. */
const minShareBytes = 100;

/** How many bytes a value takes as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "null");
}

/** The least that can be left of a value: an empty text, list or object; a number is left as it is. */
export function leastValue(value: unknown): unknown {
  if (typeof value === "string") return "";
  if (Array.isArray(value)) return [];
  return isFields(value) ? {} : value;
}

/** The least that can be left of a value with all its names: its texts and lists are empty. */
export function emptyValue(value: unknown): unknown {
  return isFields(value) ? mapFields(value, emptyValue) : leastValue(value);
}

/**
 * Cuts a value so that its JSON has at most `maxBytes`, if that is enough for its `leastValue`: a text at the end of a line, or inside
 * a line that is longer than the room for it; a list by its last items, or inside the first item if that alone is too long; an object
 * in its longest fields, or by its last fields if it has many and they are short.
 */
export function cutValue(value: unknown, maxBytes: number, keeps: Keeps): unknown {
  if (jsonBytes(value) <= maxBytes) return value;
  if (typeof value === "string") return cutText(value, maxBytes, keeps);
  if (Array.isArray(value)) return keepFirst(value, [], maxBytes, keeps);
  if (isFields(value)) return cutFields(value, maxBytes, keeps);
  return value;
}

/** Converts each value of an object. */
export function mapFields(fields: Fields, map: (value: unknown, name: string) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value, name)]));
}

/** Whether a value is an object whose fields can be cut one by one. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !("toJSON" in value) && !Array.isArray(value);
}

function cutText(text: string, maxBytes: number, keeps: Keeps): string {
  const room = maxBytes - jsonBytes("");
  if (keeps === "head") return text.slice(0, headEnd(text, room));
  const cut = leaveOutMiddle({ head: text, tail: text, bytes: Buffer.byteLength(text) }, room);
  return jsonBytes(cut) <= maxBytes ? cut : "";
}

function cutFields(fields: Fields, maxBytes: number, keeps: Keeps): Fields {
  const values = Object.values(fields);
  for (const floorOf of [emptyValue, leastValue]) {
    const room = maxBytes - jsonBytes(mapFields(fields, floorOf));
    if (room < 0) continue;
    const share = shareOf(
      room,
      values.map((value) => jsonBytes(value) - jsonBytes(floorOf(value))),
    );
    if (values.length <= maxNamedFields || share >= minShareBytes)
      return mapFields(fields, (value) => cutValue(value, jsonBytes(floorOf(value)) + share, keeps));
  }
  const names = Object.keys(fields);
  return Object.fromEntries(keepFirst(values, names, maxBytes, keeps).map((value, index) => [names[index], value]));
}

/** How many bytes each part may have: an equal share of the room, and of what shorter parts leave over. */
function shareOf(room: number, sizes: readonly number[]): number {
  const longer = sizes.filter((bytes) => bytes > 0).sort((one, other) => one - other);
  let left = room;
  let share = 0;
  for (const [index, bytes] of longer.entries()) {
    share = Math.floor(left / (longer.length - index));
    if (bytes > share) break;
    left -= bytes;
  }
  return share;
}

/** The first values of a list, or of an object with these names, that fit; if even the first is too long, that one cut. */
function keepFirst(values: readonly unknown[], names: readonly string[], maxBytes: number, keeps: Keeps): unknown[] {
  const nameBytes = (index: number) => (names.length === 0 ? 0 : jsonBytes(names[index]) + 1);
  // Each has a comma but the last.
  let left = maxBytes - jsonBytes([]) + 1;
  const end = values.findIndex((value, index) => {
    left -= nameBytes(index) + jsonBytes(value) + 1;
    return left < 0;
  });
  if (end !== 0) return end < 0 ? [...values] : values.slice(0, end);
  const [first] = values;
  const room = maxBytes - jsonBytes([]) - nameBytes(0);
  const cut = cutValue(first, room, keeps);
  return jsonBytes(cut) <= room && jsonBytes(cut) > jsonBytes(leastValue(first)) ? [cut] : [];
}
