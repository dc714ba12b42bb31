/**
 * Returns a promise's value, or `undefined` if it takes longer than `ms` milliseconds.
 *
 * After a suspended laptop or a blocked event loop the timer fires before the promise settles: waiting one turn lets a value
 * that was in time count as such.
 */
export async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((settle) => {
    timer = setTimeout(() => setImmediate(settle, undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
