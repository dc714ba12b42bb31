/** A moment whose earlier keys have all been read, and the idle time of the event loop up to it, in milliseconds. */
interface ReadUntil {
  readonly atMs: number;
  readonly idleMs: number;
}

let readUntil = now();

/** Notes that a frame is on the screen. Every key that was pressed before is read within the next two turns of the event loop. */
export function noteFrame(): void {
  const frame = now();
  setImmediate(() =>
    setImmediate(() => {
      readUntil = frame;
    }),
  );
}

/**
 * When a key that is read now was pressed at the earliest, as `performance.now()` counts. While the event loop is busy, as with a frame that
 * takes long, keys wait: one that was pressed before a question is on the screen may be read after it.
 */
export function pressedMs(): number {
  return readUntil.atMs + now().idleMs - readUntil.idleMs;
}

function now(): ReadUntil {
  return { atMs: performance.now(), idleMs: performance.eventLoopUtilization().idle };
}
