/** Keys wait at most this long for the dialog that a command may open, in milliseconds. */
const openingMs = 300;

/** And this long if the command says that it opens one, after it has asked a server. Keys are not shown meanwhile, so not longer. */
const expectedMs = 2_000;

/** The command that the user has begun last. */
export interface BegunCommand {
  /** @param running its end; a command without one is over */
  begin(running: Promise<unknown> | undefined): void;
  /** Notes that it will open a dialog, also before it is noted itself. */
  expectDialog(): void;
  /** Notes that a dialog is on the screen. */
  opened(): void;
  /** Whether it has just begun, and may still open a dialog. */
  isOpening(): boolean;
}

export function createBegunCommand(): BegunCommand {
  let command: Promise<unknown> | undefined;
  let untilMs = 0;
  let expectedUntilMs = 0;
  const end = () => {
    command = undefined;
    expectedUntilMs = 0;
  };
  return {
    begin(running) {
      command = running;
      untilMs = performance.now() + openingMs;
      void running?.finally(() => {
        if (command === running) end();
      });
    },
    expectDialog() {
      expectedUntilMs = performance.now() + expectedMs;
    },
    opened: end,
    isOpening: () => command !== undefined && performance.now() < Math.max(untilMs, expectedUntilMs),
  };
}
