/** How many causes are followed; ends cycles. */
const maxDepth = 10;

/** Returns the first error in a chain of causes that passes the test. */
export function findCause<Found>(error: unknown, test: (value: unknown) => value is Found): Found | undefined {
  let current = error;
  for (let depth = 0; depth < maxDepth && typeof current === "object" && current !== null; depth++) {
    if (test(current)) return current;
    current = (current as { cause?: unknown }).cause;
  }
  return undefined;
}
