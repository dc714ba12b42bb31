// When what the user types is run: now, at the running turn's next step, or after it.

/** Input that waits for running work. */
export interface Queued {
  readonly text: string;
  /** When it is taken: at the model's next step, or after the answer. */
  readonly when: "step" | "end";
}

/**
 * Runs what the user types, one input at a time. It alone knows whether something runs, so that two turns, or a turn and a
 * command that changes the conversation, never overlap.
 */
export interface Scheduler {
  isBusy(): boolean;
  /** The queue, in the order in which it will run. */
  waiting(): readonly Queued[];
  /** Runs the input now, or after everything pushed before. */
  push(queued: Queued): void;
  /** Runs other work if nothing runs; input pushed meanwhile waits. Returns whether it started. */
  runAlone(run: () => Promise<void>): boolean;
  /** Runs other work once nothing runs or waits. */
  runAtRest(run: () => Promise<void>): void;
  /** Removes and returns the input for the model's next step. */
  takeSteering(): Queued[];
  /** Removes and returns the last input in the queue. */
  takeBack(): Queued | undefined;
  /** Removes and returns the whole queue. */
  takeBackAll(): Queued[];
}

/**
 * @param run runs one input, now or after it has waited; what it throws is a bug and is not caught
 * @param changed called when the queue changes
 */
export function createScheduler(
  run: (text: string, hasWaited: boolean) => Promise<void>,
  changed: () => void,
): Scheduler {
  const queue: Queued[] = [];
  const atRest: (() => Promise<void>)[] = [];
  let isBusy = false;
  const takeNext = (): (() => Promise<void>) | undefined => {
    const next = queue.shift();
    if (!next) return atRest.shift();
    changed();
    return () => run(next.text, true);
  };
  const begin = async (first: () => Promise<void>) => {
    isBusy = true;
    try {
      for (let next: (() => Promise<void>) | undefined = first; next; next = takeNext()) await next();
    } finally {
      isBusy = false;
    }
  };
  return {
    isBusy: () => isBusy,
    waiting: () => queue,
    push(queued) {
      if (isBusy) queue.push(queued);
      else void begin(() => run(queued.text, false));
      changed();
    },
    runAlone(other) {
      if (isBusy) return false;
      void begin(other);
      return true;
    },
    runAtRest(other) {
      if (isBusy) atRest.push(other);
      else void begin(other);
    },
    takeSteering() {
      const taken = queue.filter(({ when }) => when === "step");
      for (const one of taken) queue.splice(queue.indexOf(one), 1);
      changed();
      return taken;
    },
    takeBack() {
      const last = queue.pop();
      changed();
      return last;
    },
    takeBackAll() {
      const all = queue.splice(0);
      changed();
      return all;
    },
  };
}
