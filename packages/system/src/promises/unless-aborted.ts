/** Returns a promise's value, or `undefined` if the signal aborts first. */
export async function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value | undefined> {
  const clear = new AbortController();
  const aborted = new Promise<undefined>((settle) => {
    signal?.addEventListener("abort", () => settle(undefined), { signal: clear.signal });
    if (signal?.aborted) settle(undefined);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    clear.abort();
  }
}
