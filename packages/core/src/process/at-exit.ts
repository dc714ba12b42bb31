const endings = new Set<() => void>();
let isListening = false;

/**
 * Runs synchronous work when the process exits; returns a function that forgets it. They share one listener, because Node
 * warns about a leak at more than ten.
 */
export function atExit(work: () => void): () => void {
  if (!isListening) process.once("exit", endAll);
  isListening = true;
  endings.add(work);
  return () => void endings.delete(work);
}

function endAll(): void {
  for (const ending of endings) ending();
}
