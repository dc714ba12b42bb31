import { constants } from "node:buffer";
import { cuttableBytes, cutValue, emptyValue, jsonBytes } from "./cut-value.ts";
import { ToolFailure } from "./tool-failure.ts";

type Answer = Readonly<Record<string, unknown>>;

/** How an answer is made to fit. */
export interface FitOptions {
  /** The longest answer that may be printed, in bytes. */
  readonly maxBytes: number;
  readonly keeps: "head" | "head and tail";
  readonly serialize: (answer: unknown) => string;
  /** The fields that depend on `output`, computed again when that was cut. */
  readonly recount?: ((output: string) => Readonly<Record<string, unknown>>) | undefined;
}

/**
 * Prints an answer in at most `maxBytes` by cutting its largest field, then the next largest if that is not enough. A cut answer has
 * `"truncated": true`; numbers stay exact. A `hint` is dropped if it would leave less than half of the room for the rest.
 *
 * @throws ToolFailure `OUT_OF_MEMORY` if there is no limit and the answer is longer than a string can be.
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
function largestField(answer: Answer): { readonly name: string; readonly value: unknown } | undefined {
  const fields = Object.entries(answer)
    .filter(([, value]) => cuttableBytes(value) > 0)
    .map(([name, value]) => ({ name, value, bytes: jsonBytes(value) }));
  return fields.sort((one, other) => other.bytes - one.bytes)[0];
}

/** How many bytes the content of the largest field may take. */
function roomBeside(answer: Answer, { maxBytes, serialize }: FitOptions): number {
  const largest = largestField(answer);
  if (largest === undefined) return 0;
  const emptied = { ...answer, [largest.name]: emptyValue(largest.value), truncated: true };
  return maxBytes - Buffer.byteLength(serialize(emptied));
}

/** Cuts the largest field, and the next largest as long as that is not enough. */
function withoutExcess(answer: Answer, options: FitOptions): Answer {
  const { maxBytes, keeps, serialize, recount } = options;
  const largest = largestField(answer);
  if (largest === undefined) return answer;
  const { name, value } = largest;
  const withKept = (kept: unknown) => {
    const recounted = name === "output" && typeof kept === "string" ? recount?.(kept) : undefined;
    return { ...answer, [name]: kept, ...recounted, truncated: true };
  };
  const next = withKept(cutValue(value, Math.max(roomBeside(answer, options), 0), keeps));
  const fits = Buffer.byteLength(serialize(next)) <= maxBytes;
  return fits ? next : withoutExcess(withKept(emptyValue(value)), options);
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
