import { sanitiseLine } from "../../render/sanitise.ts";
import type { Tui } from "./tui.ts";

/** A user who has waited this long may have looked away, in milliseconds; used if the terminal does not report focus. */
const longMs = 10_000;

/** Rings the bell if the user may be looking elsewhere, unless `screen.bell` is off. */
export function ring({ surface, session, hasFocus }: Tui, waitedMs = longMs): void {
  const isAway = hasFocus === undefined ? waitedMs >= longMs : !hasFocus;
  if (isAway && session.agent.config.screen?.bell !== false) surface.signal("\u0007");
}

/** Sets the window's title. Terminals that keep the old one restore it at exit. */
export function nameWindow({ surface, session }: Tui, what: string): void {
  // The Linux console has no title and would print it.
  if (session.agent.config.screen?.title === false || session.agent.env.TERM === "linux") return;
  const name = session.agent.places.projectDir.split("/").at(-1) || "/";
  surface.signal(`\u001b]0;${sanitiseLine(`${what} ikigai ${name}`.trim())}\u0007`);
}

export const keepWindowName = "\u001b[22;0t";
export const restoreWindowName = "\u001b[23;0t";
