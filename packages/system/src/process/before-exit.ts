/** Something that has to be done before the process ends; a promise is waited for. */
type Ending = () => unknown;

/** What the process does before it ends; `last` is for what the others still need. The process is one, so these are kept here only. */
export const endings = { first: new Set<Ending>(), last: new Set<Ending>() };

/**
 * Registers what has to be done before the process ends; returns what takes it back. The program that ends the process runs
 * them: see `endings`.
 *
 * @param isLast is for what the others still need: the session's file.
 */
export function beforeExit(ending: Ending, { isLast = false } = {}): () => void {
  const set = isLast ? endings.last : endings.first;
  set.add(ending);
  return () => void set.delete(ending);
}
