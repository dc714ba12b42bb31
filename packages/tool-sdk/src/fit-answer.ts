import { constants } from "node:buffer";
import { escapedLength, isCharacterBoundary } from "./escaped-length.ts";
import { ToolFailure } from "./tool-failure.ts";

/** How an answer is made to fit. */
export interface FitOptions {
  /** How many bytes the printed answer may have. */
  readonly maxBytes: number;
  readonly keeps: "head" | "head and tail";
  readonly serialize: (answer: unknown) => string;
  /** The fields of an answer that follow from its `output`, to be worked out again when that was cut. */
  readonly recount?: ((output: string) => Readonly<Record<string, unknown>>) | undefined;
}

/** Room for the line that stands where the middle was left out, in bytes. */
const gapBytes = 64;

/**
 * Prints an answer in at most `maxBytes`: `output` is cut at a line's end, or inside a line that is longer than the room
 * for it; a list (`files`, `matches`) loses its last items. What was cut says `"truncated": true`; numbers stay exact. A `hint` is
 * left out where it would leave less than half of the room for the rest.
 *
 * @throws ToolFailure `OUT_OF_MEMORY` when nobody set a limit and the answer is longer than a string can be.
 */
export function fitAnswer(answer: Readonly<Record<string, unknown>>, options: FitOptions): string {
  const { maxBytes, keeps, serialize, recount } = options;
  const whole = serializeWhole(answer, serialize);
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  const [name, value] = Object.entries(answer).find(([, v]) => Array.isArray(v)) ?? ["output", answer.output];
  const empty = Array.isArray(value) ? [] : "";
  const room = maxBytes - Buffer.byteLength(serialize({ ...answer, [name]: empty, truncated: true }));
  const { hint, ...withoutHint } = answer;
  if (hint !== undefined && room < maxBytes / 2) return fitAnswer(withoutHint, options);
  const kept = cut(value, room, keeps);
  return serialize({ ...answer, [name]: kept, ...(typeof kept === "string" && recount?.(kept)), truncated: true });
}

function serializeWhole(answer: Readonly<Record<string, unknown>>, serialize: FitOptions["serialize"]): string {
  try {
    return serialize(answer);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const hint = `As JSON it is longer than ${constants.MAX_STRING_LENGTH} characters. Ask for less.`;
    throw new ToolFailure("OUT_OF_MEMORY", "The answer is too long", { hint });
  }
}

function cut(value: unknown, room: number, keeps: FitOptions["keeps"]): unknown {
  if (Array.isArray(value)) return cutList(value, room);
  const text = String(value ?? "");
  if (keeps === "head") return text.slice(0, headEnd(text, room));
  return leaveOutMiddle({ head: text, tail: text, bytes: Buffer.byteLength(text) }, room);
}

function cutList(items: readonly unknown[], room: number): unknown[] {
  let left = room;
  const end = items.findIndex((item) => {
    left -= Buffer.byteLength(JSON.stringify(item)) + 1;
    return left < 0;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}

/** A text whose middle may be missing. */
export interface TextEnds {
  /** At least as much of the text's start as there is room for. */
  readonly head: string;
  /** At least as much of the text's end as there is room for. */
  readonly tail: string;
  /** How long the whole text is, in bytes. */
  readonly bytes: number;
}

/** The start and the end of a text in at most `room` bytes of JSON, with a line between them that tells what is missing. */
export function leaveOutMiddle({ head, tail, bytes }: TextEnds, room: number): string {
  const half = Math.floor((room - gapBytes) / 2);
  if (half <= 0) return head.slice(0, headEnd(head, room));
  const start = head.slice(0, headEnd(head, half));
  const end = tail.slice(tailStart(tail, half));
  const leftOut = bytes - Buffer.byteLength(start) - Buffer.byteLength(end);
  return `${start}${start.endsWith("\n") ? "" : "\n"}… ${leftOut} bytes left out …\n${end}`;
}

/** Where the longest head of a text ends that fits in `room` bytes of JSON: after a newline, if it has one. */
export function headEnd(text: string, room: number): number {
  let index = 0;
  for (let used = 0; index < text.length; index++) {
    used += escapedLength(text, index);
    if (used > room) break;
  }
  if (index === 0 || index === text.length) return index;
  const lineEnd = text.lastIndexOf("\n", index - 1) + 1;
  if (lineEnd > 0) return lineEnd;
  return isCharacterBoundary(text, index) ? index : index - 1;
}

/** Where the longest tail that fits starts: after a newline, if it has one. */
function tailStart(text: string, room: number): number {
  let index = text.length;
  for (let used = 0; index > 0; index--) {
    used += escapedLength(text, index - 1);
    if (used > room) break;
  }
  if (index === 0) return 0;
  const lineStart = text.indexOf("\n", index - 1) + 1;
  if (lineStart > 0 && lineStart < text.length) return lineStart;
  return isCharacterBoundary(text, index) ? index : index + 1;
}
