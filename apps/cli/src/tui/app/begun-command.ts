/** Keys wait at most this long for the dialog that a command may open, in milliseconds. */
const openingMs = 300;

/** The command that the user has begun last. */
export interface BegunCommand {
  /** @param running its end; a command without one is over */
  begin(running: Promise<unknown> | undefined): void;
  /** Notes that a dialog is on the screen. */
  opened(): void;
  /** Whether it has just begun, and may still open a dialog. */
  isOpening(): boolean;
}

export function createBegunCommand(): BegunCommand {
  let command: Promise<unknown> | undefined;
  let sinceMs = 0;
  return {
    begin(running) {
      command = running;
      sinceMs = performance.now();
      void running?.finally(() => {
        if (command === running) command = undefined;
      });
    },
    opened() {
      command = undefined;
    },
    isOpening: () => command !== undefined && performance.now() - sinceMs < openingMs,
  };
}
