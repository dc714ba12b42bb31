import { readKept, type ShownVisual, withBytes } from "@ikigai/agent/internal";

/** Reads the visuals of a log, which may contain anything. */
export function readLogged(visuals: readonly ShownVisual[]): ShownVisual[] {
  return readKept(visuals);
}

/** As `readLogged`, with the images whose files are still the same. */
export function readLoggedImages(visuals: readonly ShownVisual[]): ShownVisual[] {
  return readKept(visuals).map(withBytes);
}
