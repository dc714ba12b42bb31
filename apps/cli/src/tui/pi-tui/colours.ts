import { parseOsc11BackgroundColor, parseTerminalColorSchemeReport } from "@earendil-works/pi-tui";

export type ColourScheme = "light" | "dark";

/** What a terminal's answer says about its colours; undefined for everything else that comes from it. */
export function schemeFrom(typed: string): ColourScheme | undefined {
  const background = parseOsc11BackgroundColor(typed);
  if (!background) return parseTerminalColorSchemeReport(typed);
  const { r, g, b } = background;
  return 0.299 * r + 0.587 * g + 0.114 * b > 127 ? "light" : "dark";
}
