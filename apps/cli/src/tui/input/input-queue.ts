import type { Tui } from "../app/tui.ts";

/**
 * Takes keys and pastes one after the other. Once one has answered a dialog, the next ones wait a moment: who types quickly, or
 * over a slow line, means them for what is asked next, which is open only then. They answer no question that comes unasked.
 */
export function createInputQueue(tui: Tui): (take: () => void) => void {
  const held: (() => void)[] = [];
  let isWaiting = false;
  const goOn = () => {
    if (isWaiting && tui.dialog?.isSudden && held.length > 0) tui.noteWriting(false);
    isWaiting = false;
    for (let take = held.shift(); take; take = isWaiting ? undefined : held.shift()) {
      const { dialog } = tui;
      take();
      if (dialog === undefined || tui.dialog === dialog) continue;
      isWaiting = true;
      setImmediate(goOn);
    }
  };
  return (take) => {
    held.push(take);
    if (!isWaiting) goOn();
  };
}
