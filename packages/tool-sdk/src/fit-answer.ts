// Makes an answer fit: cuts its largest fields, each to a share of the room.
import { constants } from "node:buffer";
import { headEnd, leaveOutMiddle } from "@ikigai/system";
import { ToolFailure } from "./failure.ts";

/** Converts an answer to JSON. */
export type Serialize = (answer: unknown) => string;

type Answer = Readonly<Record<string, unknown>>;

/** How an answer is made to fit. */
export interface FitOptions {
  /** The longest answer that may be printed, in bytes. */
  readonly maxBytes: number;
  readonly keeps: "head" | "head and tail";
  readonly serialize: Serialize;
  /** The fields that depend on others, computed again from an answer of which one was cut. */
  readonly recount?: ((answer: Answer) => Answer) | undefined;
}

/**
 * Prints an answer in at most `maxBytes` by cutting its largest field, then the next largest if that is not enough. A cut answer has
 * `"truncated": true`; numbers stay exact. A `hint` is dropped if it would leave less than half of the room for the rest. An answer
 * that is too long even without all that can be cut is printed whole: a host keeps it in a file.
 *
 * @throws ToolFailure `OUT_OF_MEMORY` if there is no limit and the answer is longer than a string can be.
 */
export function fitAnswer(given: Answer, options: FitOptions): string {
  const { maxBytes, serialize, recount } = options;
  const whole = serializeWhole(given, serialize);
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  // A field that `recount` adds needs room, too.
  const answer = { ...given, ...recount?.(given) };
  const floors = floorsOf(answer, options);
  if (floors === undefined) return whole;
  const { hint, ...withoutHint } = answer;
  if (hint !== undefined && roomFor(largestField(answer, floors), answer, floors, options) < maxBytes / 2)
    return fitAnswer(withoutHint, options);
  return serialize(withoutExcess(answer, floors, options));
}

/** The least that is left of each field, if that fits: with all names in it, or else without those that its schema does not require. */
function floorsOf(answer: Answer, options: FitOptions): Answer | undefined {
  const least = (value: unknown, name: string) =>
    isFields(value) && cutBytes({ ...answer, [name]: {} }, options) === undefined
      ? emptyValue(value)
      : leastValue(value);
  return [emptyValue, least].map((floorOf) => mapFields(answer, floorOf)).find((floors) => fits(floors, options));
}

/** The name of the field that takes the most room, if one can be cut. */
function largestField(answer: Answer, floors: Answer): string | undefined {
  const fields = Object.keys(answer).map((name) => ({ name, bytes: jsonBytes(answer[name]) }));
  const cuttable = fields.filter(({ name, bytes }) => bytes > jsonBytes(floors[name]));
  return cuttable.sort((one, other) => other.bytes - one.bytes)[0]?.name;
}

/** How many bytes the content of a field may take. */
function roomFor(name: string | undefined, answer: Answer, floors: Answer, options: FitOptions): number {
  if (name === undefined) return 0;
  return options.maxBytes - (cutBytes({ ...answer, [name]: floors[name] }, options) ?? options.maxBytes);
}

/** Cuts the largest field, and the next largest as long as that is not enough. */
function withoutExcess(answer: Answer, floors: Answer, options: FitOptions): Answer {
  const { keeps, recount } = options;
  const name = largestField(answer, floors);
  if (name === undefined) return answer;
  const withKept = (kept: unknown) => {
    const cut = { ...answer, [name]: kept };
    return { ...cut, ...recount?.(cut), truncated: true };
  };
  const room = Math.max(roomFor(name, answer, floors, options), 0);
  const next = withKept(cutValue(answer[name], jsonBytes(floors[name]) + room, keeps));
  return fits(next, options) ? next : withoutExcess(withKept(floors[name]), floors, options);
}

function fits(answer: Answer, options: FitOptions): boolean {
  const bytes = cutBytes(answer, options);
  return bytes !== undefined && bytes <= options.maxBytes;
}

/** How long an answer is that says it was cut; `undefined` if it lacks a field that its schema requires. */
function cutBytes(answer: Answer, { serialize }: FitOptions): number | undefined {
  try {
    return Buffer.byteLength(serialize({ ...answer, truncated: true }));
  } catch {
    return undefined;
  }
}

function serializeWhole(answer: Answer, serialize: Serialize): string {
  try {
    return serialize(answer);
  } catch (error) {
    if (!(error instanceof RangeError))
      throw new TypeError(describeProblem(answer, serialize, error), { cause: error });
    const hint = `As JSON it is longer than ${constants.MAX_STRING_LENGTH} characters. Ask for less.`;
    throw new ToolFailure("OUT_OF_MEMORY", "The answer is too long", { hint });
  }
}

/** What keeps an answer from being printed: a bug of the tool. */
function describeProblem(answer: Answer, serialize: Serialize, error: unknown): string {
  const path = lastRead(answer, serialize);
  const where = path.length === 0 ? "the answer" : `${JSON.stringify(path.join("."))} in the answer`;
  return `Cannot print ${where}: ${error instanceof Error ? error.message : error}`;
}

/** The path to the part of an answer that a serializer read last: where it fails. Reads the answer again. */
export function lastRead(answer: object, serialize: Serialize): readonly string[] {
  let last: readonly string[] = [];
  const watch = (value: unknown, path: readonly string[]): unknown => {
    if (!isPlain(value)) return value;
    return new Proxy(value, {
      get(target, key) {
        const inner: unknown = Reflect.get(target, key);
        // A list's length and methods, and what may say how an object is converted, are no part of the answer.
        if (typeof key === "symbol" || !Object.hasOwn(target, key) || key === "length") return inner;
        last = [...path, key];
        return watch(inner, last);
      },
    });
  };
  try {
    serialize(watch(answer, []));
  } catch {
    // Expected: this is about where.
  }
  return last;
}

function isPlain(value: unknown): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value))
  );
}

/** Which part of a text survives. */
type Keeps = "head" | "head and tail";

/** An object whose fields can be cut one by one. */
type Fields = Readonly<Record<string, unknown>>;

/** An object with more fields is a map, such as sizes by file: without its last fields it is still useful. */
const maxNamedFields = 32;

/** A map keeps all its fields if the long ones can keep this much, in bytes. With less, a few whole fields say more. */
const minShareBytes = 100;

/** How many bytes a value takes as JSON. */
function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "null");
}

/** The least that can be left of a value: an empty text, list or object; a number is left as it is. */
function leastValue(value: unknown): unknown {
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
function cutValue(value: unknown, maxBytes: number, keeps: Keeps): unknown {
  if (jsonBytes(value) <= maxBytes) return value;
  if (typeof value === "string") return cutText(value, maxBytes, keeps);
  if (Array.isArray(value)) return keepFirst(value, [], maxBytes, keeps);
  if (isFields(value)) return cutFields(value, maxBytes, keeps);
  return value;
}

/** Converts each value of an object. */
function mapFields(fields: Fields, map: (value: unknown, name: string) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value, name)]));
}

/** Whether a value is an object whose fields can be cut one by one. */
function isFields(value: unknown): value is Fields {
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
