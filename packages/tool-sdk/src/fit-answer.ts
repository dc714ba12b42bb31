import { constants } from "node:buffer";
import { headEnd, leaveOutMiddle } from "@ikigai/system";
import { ToolFailure } from "./tool-failure.ts";

type Answer = Readonly<Record<string, unknown>>;

/** How an answer is made to fit. */
export interface FitOptions {
  /** How many bytes the printed answer may have. */
  readonly maxBytes: number;
  readonly keeps: "head" | "head and tail";
  readonly serialize: (answer: unknown) => string;
  /** The fields of an answer that follow from its `output`, to be worked out again when that was cut. */
  readonly recount?: ((output: string) => Readonly<Record<string, unknown>>) | undefined;
}

/**
 * Prints an answer in at most `maxBytes`: the field that takes the most room is cut, a text at a line's end, or inside a line
 * that is longer than the room for it, a list by its last items; then the next longest if that is not enough. What was cut says `"truncated": true`; numbers stay exact. A `hint` is
 * left out where it would leave less than half of the room for the rest.
 *
 * @throws ToolFailure `OUT_OF_MEMORY` when nobody set a limit and the answer is longer than a string can be.
 */
export function fitAnswer(answer: Answer, options: FitOptions): string {
  const { maxBytes, serialize } = options;
  const whole = serializeWhole(answer, serialize);
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  const { hint, ...withoutHint } = answer;
  if (hint !== undefined && roomBeside(answer, options) < maxBytes / 2) return fitAnswer(withoutHint, options);
  return serialize(withoutExcess(answer, options));
}

/** The field that takes the most room, if one can be cut. */
function longestField(
  answer: Answer,
): { readonly name: string; readonly value: string | readonly unknown[] } | undefined {
  const fields = Object.entries(answer).flatMap(([name, value]) =>
    (typeof value === "string" || Array.isArray(value)) && value.length > 0
      ? [{ name, value, bytes: Buffer.byteLength(JSON.stringify(value)) }]
      : [],
  );
  return fields.sort((one, other) => other.bytes - one.bytes)[0];
}

/** How many bytes are left for the longest field. */
function roomBeside(answer: Answer, { maxBytes, serialize }: FitOptions): number {
  const longest = longestField(answer);
  if (longest === undefined) return 0;
  const empty = typeof longest.value === "string" ? "" : [];
  return maxBytes - Buffer.byteLength(serialize({ ...answer, [longest.name]: empty, truncated: true }));
}

/** Cuts the longest field, and the next longest as long as that is not enough. */
function withoutExcess(answer: Answer, options: FitOptions): Answer {
  const { maxBytes, keeps, serialize, recount } = options;
  const longest = longestField(answer);
  if (longest === undefined) return answer;
  const { name, value } = longest;
  const room = Math.max(roomBeside(answer, options), 0);
  const kept = typeof value === "string" ? cut(value, room, keeps) : cutList(value, room);
  const recounted = name === "output" && typeof kept === "string" ? recount?.(kept) : undefined;
  const next = { ...answer, [name]: kept, ...recounted, truncated: true };
  const fits = Buffer.byteLength(serialize(next)) <= maxBytes;
  return fits ? next : withoutExcess({ ...next, [name]: kept.slice(0, 0) }, options);
}

function serializeWhole(answer: Answer, serialize: FitOptions["serialize"]): string {
  try {
    return serialize(answer);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const hint = `As JSON it is longer than ${constants.MAX_STRING_LENGTH} characters. Ask for less.`;
    throw new ToolFailure("OUT_OF_MEMORY", "The answer is too long", { hint });
  }
}

function cut(text: string, room: number, keeps: FitOptions["keeps"]): string {
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
