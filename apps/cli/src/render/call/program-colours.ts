// The colours that a program prints, in the theme's own: reads a line as a terminal would leave it, then paints it.

import { lastState, type Style, sanitise, withoutLooks } from "@ikigai/screen";

/** The colours that a program's become, in the order of the hues. */
const hues = ["red", "yellow", "green", "cyan", "blue", "magenta"] as const;

type Hue = (typeof hues)[number];

/** How a program wants text to look. */
interface Wanted {
  readonly hue: Hue | undefined;
  readonly isBold: boolean;
}

/** A line of a program's output. */
interface PrintedLine {
  /** Sanitised, without control sequences. */
  readonly text: string;
  /** Where in the text each look begins. */
  readonly looks: readonly (Wanted & { readonly start: number })[];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
const styles = /\u001b\[([\d;:]*)m/g;

/** Reads a line as it would be left on a terminal. A look ends with its line. */
export function readPrinted(line: string): PrintedLine {
  const looks: (Wanted & { readonly start: number })[] = [];
  let text = "";
  let at = 0;
  let wanted: Wanted = { hue: undefined, isBold: false };
  const add = (piece: string) => {
    const shown = sanitise(withoutLooks(piece));
    const last = looks.at(-1);
    const isNew = !last || last.hue !== wanted.hue || last.isBold !== wanted.isBold;
    if (shown !== "" && isNew) looks.push({ ...wanted, start: text.length });
    text += shown;
  };
  const left = lastState(line);
  for (const found of left.matchAll(styles)) {
    add(left.slice(at, found.index));
    at = found.index + found[0].length;
    wanted = changed(wanted, found[1] ?? "");
  }
  add(left.slice(at));
  return { text, looks };
}

/**
 * Draws a line in the theme's own colours. No sequence of the program is printed, and neither its backgrounds nor black, white
 * and grey are drawn: no text can be hidden.
 *
 * @param text its text, which may be cut
 * @param plain the look of text that has none
 */
export function paintPrinted({ looks }: PrintedLine, text: string, style: Style, plain = style.dim): string {
  return looks
    .map(({ start, hue, isBold }, index) => {
      const piece = text.slice(start, looks[index + 1]?.start);
      if (piece === "") return "";
      if (hue === undefined && !isBold) return plain(piece);
      const coloured = hue === undefined ? piece : style[hue](piece);
      return isBold ? style.bold(coloured) : coloured;
    })
    .join("");
}

/** The look after a sequence. What is not known, such as underlining, changes nothing. */
function changed(wanted: Wanted, sequence: string): Wanted {
  // With colons a colour is one parameter: `38:2::RED:GREEN:BLUE`. Others, such as a wavy underline, are not drawn.
  const codes = sequence
    .replace(/\b([345]8):2:\d*:(\d+):(\d+):(\d+)/g, "$1;2;$2;$3;$4")
    .replace(/\b([345]8):5:(\d+)/g, "$1;5;$2")
    .split(";")
    .map(Number);
  let { hue, isBold } = wanted;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0) [hue, isBold] = [undefined, false];
    else if (code === 1 || code === 22) isBold = code === 1;
    else if (code === 39) hue = undefined;
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) hue = hueOfIndex(code % 10);
    else if (code === 38 || code === 48 || code === 58) {
      const colour = extended(codes, at + 1);
      if (code === 38) hue = colour.hue;
      at += colour.length;
    }
  }
  return { hue, isBold };
}

/** The colour after 38, and how many numbers it has: `5;INDEX`, or `2;RED;GREEN;BLUE`. */
function extended(codes: readonly number[], at: number): { readonly hue: Hue | undefined; readonly length: number } {
  const [kind, first = 0, green = 0, blue = 0] = codes.slice(at, at + 4);
  if (kind === 5) return { hue: hueOfIndex(first), length: 2 };
  return kind === 2 ? { hue: hueOf([first, green, blue]), length: 4 } : { hue: undefined, length: 0 };
}

const indexed: readonly (Hue | undefined)[] = [
  undefined,
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  undefined,
];

/** The levels of the 6 × 6 × 6 cube of the 256 colours. */
const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);

function hueOfIndex(index: number): Hue | undefined {
  if (index < 16) return indexed[index % 8];
  const cube = index - 16;
  // The rest is grey.
  return index < 232
    ? hueOf([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)])
    : undefined;
}

/** Colours that differ less from grey than this have no hue, of 255. */
const leastSpread = 64;

/** The nearest hue. */
function hueOf([red, green, blue]: readonly [number, number, number]): Hue | undefined {
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  if (!(spread >= leastSpread)) return undefined;
  const sixth =
    most === red ? (green - blue) / spread : most === green ? 2 + (blue - red) / spread : 4 + (red - green) / spread;
  return hues[(Math.round(sixth) + hues.length) % hues.length];
}
