/**
 * Makes every string in a value well-formed Unicode: half a surrogate pair becomes U+FFFD. Returns well-formed values as
 * they are, without copying.
 */
export function wellFormed<Value>(value: Value): Value {
  return toWellFormed(value) as Value;
}

const known = new WeakMap<object, unknown>();

/** Like `wellFormed`, for an object that never changes: looks at it once. */
export function wellFormedOnce<Value extends object>(value: Value): Value {
  if (!known.has(value)) known.set(value, toWellFormed(value));
  return known.get(value) as Value;
}

function toWellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return replaceChanged(value, value.map(toWellFormed));
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value);
  const fixed = entries.map(([key, one]) => [key.toWellFormed(), toWellFormed(one)] as const);
  const isSame = fixed.every(([key, one], index) => key === entries[index]?.[0] && one === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(fixed);
}

function replaceChanged(old: readonly unknown[], fixed: readonly unknown[]): unknown {
  return fixed.every((one, index) => one === old[index]) ? old : fixed;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** An escape in JSON: a pair of surrogates, one half of a pair, or anything else. */
const escapePattern = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\./g;

const halfPattern = /\\u[dD][89a-fA-F]/;

const pairLength = "\\ud83d\\ude00".length;

/** Makes every string in a JSON text well-formed, escaped or not; returns a well-formed text unchanged. */
export function wellFormedJson(json: string): string {
  const text = json.toWellFormed();
  if (!halfPattern.test(text)) return text;
  return text.replace(escapePattern, (found) =>
    found.length < pairLength && halfPattern.test(found) ? "\\ufffd" : found,
  );
}
