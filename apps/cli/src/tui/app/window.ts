import { sanitiseLine } from "../../render/sanitise.ts";
import type { Tui } from "./tui.ts";

/** Who has waited so long has looked away, in milliseconds, where the terminal does not tell. */
const longMs = 10_000;

/** Rings when the user is waited for and may not be looking, unless they do not want that. */
export function ring({ surface, session, hasFocus }: Tui, waitedMs = longMs): void {
  const isAway = hasFocus === undefined ? waitedMs >= longMs : !hasFocus;
  if (isAway && session.agent.config.screen?.bell !== false) surface.signal("\u0007");
}

/** Names the window. Its old name comes back at the end, on terminals that keep it. */
export function nameWindow({ surface, session }: Tui, what: string): void {
  // Linux's console has no window, and prints the name.
  if (session.agent.config.screen?.title === false || session.agent.env.TERM === "linux") return;
  const name = session.agent.places.projectDir.split("/").at(-1) || "/";
  surface.signal(`\u001b]0;${sanitiseLine(`${what} ikigai ${name}`.trim())}\u0007`);
}

export const keepWindowName = "\u001b[22;0t";
export const restoreWindowName = "\u001b[23;0t";
