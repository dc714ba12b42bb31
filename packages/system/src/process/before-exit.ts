/** Something to do before the process exits; a promise is awaited. */
type Ending = () => unknown;

/** What to do before the process exits; `last` runs after `first`, for what the others still need. Global, like the process. */
export const endings = { first: new Set<Ending>(), last: new Set<Ending>() };

/**
 * Registers something to do before the process exits; returns a
 * function that unregisters it. The main program runs the `endings`.
 *
 * @param isLast for what the other endings still need, such as the session's file.
 */
export function beforeExit(ending: Ending, { isLast = false } = {}): () => void {
  const set = isLast ? endings.last : endings.first;
  set.add(ending);
  return () => void set.delete(ending);
}

const works = new Set<() => void>();
let isListening = false;

/**
 * Runs synchronous work when the process exits; returns a function that forgets it. They share one listener, because Node
 * warns about a leak at more than ten.
 */
export function atExit(work: () => void): () => void {
  if (!isListening) process.once("exit", endAll);
  isListening = true;
  works.add(work);
  return () => void works.delete(work);
}

function endAll(): void {
  for (const ending of works) ending();
}
