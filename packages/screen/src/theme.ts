// The theme of the full screen: its styles, its colours, and how both change while the screen is open.
import { parseOsc11BackgroundColor, parseTerminalColorSchemeReport } from "@earendil-works/pi-tui";
import { ansiStyle, type Signs, type Style, sgr } from "./style.ts";

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
  /** The grounds of changed lines, and of the changed words in them, as a theme file has them; absent: only colours of text. Text on them has colours of its own. */
  readonly grounds?: Grounds;
}

type Grounds = Readonly<Record<"added" | "removed" | "addedWord" | "removedWord", string>>;

const grounds: Readonly<Record<ColourScheme, Grounds>> = {
  dark: { added: "#005f00", removed: "#5f0000", addedWord: "#008700", removedWord: "#af0000" },
  light: { added: "#d7ffd7", removed: "#ffd7d7", addedWord: "#87ff87", removedWord: "#ffafaf" },
};

/** Backgrounds of the 256-colour palette, a shade off the terminal's own. */
const saidGround = { dark: 236, light: 254 } as const;

/** The theme for a scheme; if it is unknown, no text of the terminal's own colour is on a ground. */
export function themeFor(scheme: ColourScheme | undefined): Theme {
  return {
    scheme,
    style: scheme === "light" ? { ...ansiStyle, yellow: sgr("38;5;130", 39), blue: sgr(34, 39) } : ansiStyle,
    italic: sgr(3, 23),
    underline: sgr(4, 24),
    strikethrough: sgr(9, 29),
    code: scheme === "light" ? sgr("38;5;25", 39) : sgr("38;5;117", 39),
    said: scheme === undefined ? ansiStyle.bold : sgr(`48;5;${saidGround[scheme]}`, 49),
    selected: sgr("1;36", "22;39"),
    grounds: grounds[scheme ?? "dark"],
  };
}

/** What components are drawn with. */
export interface Skin {
  readonly theme: Theme;
  readonly signs: Signs;
}

/** A theme with one of its colours changed. */
type Change = (theme: Theme, colour: string, hasTrueColour: boolean) => Theme;

const inStyle =
  (name: keyof Style): Change =>
  (theme, colour, hasTrueColour) => ({ ...theme, style: { ...theme.style, [name]: textIn(colour, hasTrueColour) } });

const ofChanges =
  (name: keyof Grounds): Change =>
  (theme, colour) =>
    theme.grounds ? { ...theme, grounds: { ...theme.grounds, [name]: colour } } : theme;

/** What each colour of a theme file changes. `ground` and `text` are the terminal's own, for which the others were chosen; they are not drawn. */
const changes = {
  // Text of unknown colours would be on grounds of known ones.
  ground: ({ grounds, ...theme }, colour) => ({
    ...theme,
    ...(grounds && ansiIndex(colour) === undefined && { grounds }),
  }),
  text: (theme) => theme,
  dim: inStyle("dim"),
  red: inStyle("red"),
  green: inStyle("green"),
  yellow: inStyle("yellow"),
  cyan: (theme, colour, hasTrueColour) => ({
    ...inStyle("cyan")(theme, colour, hasTrueColour),
    selected: sgr(`1;${codeOf(colour, 38, hasTrueColour)}`, "22;39"),
  }),
  magenta: inStyle("magenta"),
  blue: inStyle("blue"),
  code: (theme, colour, hasTrueColour) => ({ ...theme, code: textIn(colour, hasTrueColour) }),
  said: (theme, colour, hasTrueColour) => ({ ...theme, said: sgr(codeOf(colour, 48, hasTrueColour), 49) }),
  added: ofChanges("added"),
  removed: ofChanges("removed"),
  addedWord: ofChanges("addedWord"),
  removedWord: ofChanges("removedWord"),
} as const satisfies Readonly<Record<string, Change>>;

type ColourName = keyof typeof changes;

/** What a theme colours, in the order in which the colours are applied. */
export const colourNames = Object.keys(changes) as readonly ColourName[];

/** The colours of a theme: `#rrggbb`, or one of the terminal's 16 by its name. `said` and those of changes are backgrounds. */
export type Colours = Readonly<Record<ColourName, string>>;

export const ansiNames = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

/** The theme with these colours; those that are missing stay as in the theme of the scheme. */
export function themeWith(scheme: ColourScheme, colours: Partial<Colours>, hasTrueColour: boolean): Theme {
  let theme = themeFor(scheme);
  for (const name of colourNames) {
    const colour = colours[name];
    if (colour !== undefined) theme = changes[name](theme, colour, hasTrueColour);
  }
  return theme;
}

function textIn(colour: string, hasTrueColour: boolean): (text: string) => string {
  return sgr(codeOf(colour, 38, hasTrueColour), 39);
}

/** The SGR code of a colour; `kind`: 38 for text, 48 for a background. */
export function codeOf(colour: string, kind: 38 | 48, hasTrueColour: boolean): string {
  const ansi = ansiIndex(colour);
  if (ansi !== undefined) return String(kind - 8 + (ansi < 8 ? ansi : 52 + ansi));
  const rgb = rgbOf(colour);
  const nearest = nearestIndex(rgb);
  const isExact = paletteColour(nearest).every((value, index) => value === rgb[index]);
  return hasTrueColour && !isExact ? `${kind};2;${rgb.join(";")}` : `${kind};5;${nearest}`;
}

/** The number from 0 to 15 of a colour with a name. */
export function ansiIndex(colour: string): number | undefined {
  const isBright = colour.startsWith("bright-");
  const index = (ansiNames as readonly string[]).indexOf(isBright ? colour.slice("bright-".length) : colour);
  return index < 0 ? undefined : index + (isBright ? 8 : 0);
}

export type Rgb = readonly [red: number, green: number, blue: number];

export function rgbOf(hex: string): Rgb {
  const at = (start: number) => Number.parseInt(hex.slice(start, start + 2), 16);
  return [at(1), at(3), at(5)];
}

/** The levels of the 6 × 6 × 6 cube of the 256 colours, which terminals do not change. */
const levels = [0, 95, 135, 175, 215, 255];

/** The colour of an index from 16 to 255. */
export function paletteColour(index: number): Rgb {
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return [grey, grey, grey];
  }
  const level = (step: number) => levels[Math.floor((index - 16) / step) % 6] ?? 0;
  return [level(36), level(6), level(1)];
}

/** The nearest of the 240 fixed colours. */
function nearestIndex(rgb: Rgb): number {
  let nearest = 16;
  let least = Number.POSITIVE_INFINITY;
  for (let index = 16; index < 256; index++) {
    const far = paletteColour(index).reduce((sum, value, at) => sum + (value - (rgb[at] ?? 0)) ** 2, 0);
    if (far < least) [nearest, least] = [index, far];
  }
  return nearest;
}
