/**
 * What a promise settles with, or undefined when it takes longer.
 *
 * After a suspended laptop or a blocked event loop the timer comes first and the news second: a turn of the loop lets what has
 * come in time count as come in time.
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
