import type { Serialize } from "./with-ignored.ts";

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
