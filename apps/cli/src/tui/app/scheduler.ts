/** Something the user said while something else runs. */
export interface Queued {
  readonly text: string;
  /** When it is heard: before the model's next step, or after the answer. */
  readonly when: "step" | "end";
}

/**
 * Runs what the user types, one thing after the other: it alone knows whether something runs, so two turns, or a turn and a
 * command that changes the conversation, never overlap.
 */
export interface Scheduler {
  isBusy(): boolean;
  /** What waits, in the order in which it will run. */
  waiting(): readonly Queued[];
  /** Runs it: now, or after everything that was pushed before. */
  push(queued: Queued): void;
  /** Runs something else unless something runs already; what is pushed meanwhile waits. Returns whether it was begun. */
  runAlone(run: () => Promise<void>): boolean;
  /** Takes out what is to be heard at the model's next step. */
  takeSteering(): Queued[];
  /** Takes out the last one that waits. */
  takeBack(): Queued | undefined;
  /** Takes out everything that waits. */
  takeBackAll(): Queued[];
}

/**
 * @param run does one of them; what it throws is a bug and is not caught.
 * @param changed is called when something else waits.
 */
export function createScheduler(run: (text: string) => Promise<void>, changed: () => void): Scheduler {
  const queue: Queued[] = [];
  let isBusy = false;
  const begin = async (first: () => Promise<void>) => {
    isBusy = true;
    try {
      await first();
      for (let next = queue.shift(); next; next = queue.shift()) {
        changed();
        await run(next.text);
      }
    } finally {
      isBusy = false;
    }
  };
  return {
    isBusy: () => isBusy,
    waiting: () => queue,
    push(queued) {
      if (isBusy) queue.push(queued);
      else void begin(() => run(queued.text));
      changed();
    },
    runAlone(other) {
      if (isBusy) return false;
      void begin(other);
      return true;
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
