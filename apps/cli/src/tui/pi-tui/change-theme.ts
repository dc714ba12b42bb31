import type { ColourScheme, Theme } from "./theme.ts";
import { type Colours, codeOf, themeWith } from "./theme-colours.ts";

/** How changed lines are drawn on grounds of their own. */
export interface ChangeTheme {
  /** The colours of code on these grounds. */
  readonly code: Theme;
  /** Draws a row that was added or removed; it may have colours, and words with grounds of their own. */
  readonly added: (row: string) => string;
  readonly removed: (row: string) => string;
  /** Draws changed words. */
  readonly addedWord: (words: string) => string;
  readonly removedWord: (words: string) => string;
}

/** Text on these grounds. The terminal's own colours may not be readable there. Exported for the test of the contrast. */
export const textOnGrounds: Readonly<Record<ColourScheme, Partial<Colours> & Pick<Colours, "text">>> = {
  dark: {
    ...{ text: "#ffffff", dim: "#d0d0d0", red: "#ffafaf", green: "#afffaf", yellow: "#ffff87", cyan: "#afffff" },
    ...{ magenta: "#ffafff", blue: "#afd7ff" },
  },
  light: {
    ...{ text: "#000000", dim: "#444444", red: "#870000", green: "#005f00", yellow: "#5f5f00", cyan: "#005f5f" },
    ...{ magenta: "#5f005f", blue: "#00005f" },
  },
};

/** Undefined if the terminal's background is unknown, or the theme has only its 16 colours. */
export function changeTheme({ scheme, grounds }: Theme): ChangeTheme | undefined {
  if (!scheme || !grounds) return undefined;
  const colours = textOnGrounds[scheme];
  const draw = (ground: string) => {
    const on = `\u001b[${codeOf(ground, 48, false)};${codeOf(colours.text, 38, false)}m`;
    // What is inside ends its own colours with these, which must not end the ground.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
    return (row: string) => `${on}${row.replaceAll(/\u001b\[(?:39|49|39;49)m/g, on)}\u001b[39;49m`;
  };
  return {
    code: themeWith(scheme, colours, false),
    added: draw(grounds.added),
    removed: draw(grounds.removed),
    addedWord: draw(grounds.addedWord),
    removedWord: draw(grounds.removedWord),
  };
}
