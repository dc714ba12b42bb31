/**
 * Runs an action after a time without input, in milliseconds. On a busy machine a timer may fire before pending input is read, which one
 * turn of the event loop does.
 *
 * @returns a function that cancels it
 */
export function whenQuiet(ms: number, action: () => void): () => void {
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    turn = setImmediate(action);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}
