/** Returns what is at a path inside a value from JSON; `undefined` if there is nothing. */
export function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (parent, key) =>
      typeof parent === "object" && parent !== null && Object.hasOwn(parent, key)
        ? (parent as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );
}

/** Returns a list; `undefined` for anything else. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] | undefined {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : undefined;
}
