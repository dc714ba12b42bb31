import { parseOsc11BackgroundColor, parseTerminalColorSchemeReport } from "@earendil-works/pi-tui";

export type ColourScheme = "light" | "dark";

/** Asks a terminal for its background colour, and to say when it changes between light and dark. */
export const askForColours = "\u001b]11;?\u0007\u001b[?2031h";
export const stopColourReports = "\u001b[?2031l";

/** What a terminal's answer says about its colours; undefined for everything else that comes from it. */
export function schemeFrom(typed: string): ColourScheme | undefined {
  const background = parseOsc11BackgroundColor(typed);
  if (!background) return parseTerminalColorSchemeReport(typed);
  const { r, g, b } = background;
  return 0.299 * r + 0.587 * g + 0.114 * b > 127 ? "light" : "dark";
}
