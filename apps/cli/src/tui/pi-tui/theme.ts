import { parseOsc11BackgroundColor, parseTerminalColorSchemeReport } from "@earendil-works/pi-tui";
import { ansiStyle, type Signs, type Style } from "../../render/line-output.ts";

export type ColourScheme = "light" | "dark";

/** The colour scheme that a terminal reports; undefined for any other input. */
export function schemeFrom(typed: string): ColourScheme | undefined {
  const background = parseOsc11BackgroundColor(typed);
  if (!background) return parseTerminalColorSchemeReport(typed);
  const { r, g, b } = background;
  return 0.299 * r + 0.587 * g + 0.114 * b > 127 ? "light" : "dark";
}

/** Colours and text styles, based on the terminal's own palette, light or dark. */
export interface Theme {
  readonly scheme: ColourScheme | undefined;
  readonly style: Style;
  readonly italic: (text: string) => string;
  readonly underline: (text: string) => string;
  readonly strikethrough: (text: string) => string;
  /** Inline code. */
  readonly code: (text: string) => string;
  /** The user's messages. Bold if the background is unknown: tmux and many connections do not report it. */
  readonly said: (line: string) => string;
  readonly selected: (text: string) => string;
  /** The grounds of changed lines, and of the changed words in them, as a theme file has them; absent: only colours of text. */
  readonly grounds?: Grounds;
}

export type Grounds = Readonly<Record<"added" | "removed" | "addedWord" | "removedWord", string>>;

const grounds: Readonly<Record<ColourScheme, Grounds>> = {
  dark: { added: "#005f00", removed: "#5f0000", addedWord: "#008700", removedWord: "#af0000" },
  light: { added: "#d7ffd7", removed: "#ffd7d7", addedWord: "#87ff87", removedWord: "#ffafaf" },
};

/** Backgrounds of the 256-colour palette, a shade off the terminal's own. */
const saidGround = { dark: 236, light: 254 } as const;

/** The theme for a scheme; if it is unknown, nothing relies on the background. */
export function themeFor(scheme: ColourScheme | undefined): Theme {
  return {
    scheme,
    style: scheme === "light" ? { ...ansiStyle, yellow: wrap("38;5;130", "39"), blue: wrap("34", "39") } : ansiStyle,
    italic: wrap("3", "23"),
    underline: wrap("4", "24"),
    strikethrough: wrap("9", "29"),
    code: scheme === "light" ? wrap("38;5;25", "39") : wrap("38;5;117", "39"),
    said: scheme === undefined ? ansiStyle.bold : wrap(`48;5;${saidGround[scheme]}`, "49"),
    selected: wrap("1;36", "22;39"),
    ...(scheme && { grounds: grounds[scheme] }),
  };
}

/** Styles each line separately. */
export function wrap(on: string, off: string): (text: string) => string {
  return (text) => text.replace(/[^\n]+/g, `\u001b[${on}m$&\u001b[${off}m`);
}

/** What components are drawn with. */
export interface Look {
  readonly theme: Theme;
  readonly signs: Signs;
}
