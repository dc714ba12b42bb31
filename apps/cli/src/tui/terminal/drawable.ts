import type { TerminalKind } from "../../render/line-output.ts";

/** Reduces a line to what may be drawn. */
export type Drawable = (line: string) => string;

/**
 * Returns a filter that lets through only text and the styles that the terminal supports. Untrusted text is sanitised long
 * before; this is a second barrier, also for the output of libraries.
 */
export function drawableOn({ hasColours, isAscii }: Pick<TerminalKind, "hasColours" | "isAscii">): Drawable {
  const steps = [onlyColours, ...(hasColours ? [] : [withoutColours]), ...(isAscii ? [plainSigns] : [])];
  return (line) => steps.reduce((text, step) => step(text), line);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not pass
const notOurs = /\u001b(?!\[[\d;]*m)|[\u0000-\u001a\u001c-\u001f\u007f-\u009f]/g;

function onlyColours(line: string): string {
  return line.replaceAll("\t", "    ").replace(notOurs, "");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
const looks = /\u001b\[([\d;]*)m/g;

/** The colour codes of a style, for text, background or underline: one of 16, one of 256, or RGB. */
const colour = /(?:^|;)(?:[345]8;(?:5;\d+|2;\d+;\d+;\d+)|[345]9|[34][0-7]|9[0-7]|10[0-7])(?=;|$)/g;

/** Removes colours; bold, dim and the like stay. */
function withoutColours(line: string): string {
  return line.replace(looks, (whole, codes: string) => {
    const rest = codes.replace(colour, "").replace(/^;/, "");
    if (rest === codes) return whole;
    return rest === "" ? "" : `\u001b[${rest}m`;
  });
}

/** ASCII replacements for the characters that we and the libraries draw with. */
const plain: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["─━═", "-"],
    ["│┃║▏", "|"],
    ["┌┐└┘├┤┬┴┼╭╮╰╯", "+"],
    ["›❯→▶", ">"],
    ["←◆", "<"],
    ["↳", "\\"],
    ["↑", "^"],
    ["↓", "v"],
    ["●•⠋⠙⠸⠴⠦⠇", "*"],
    ["·…", "."],
    ["−–—", "-"],
    ["█", "#"],
    ["✗", "x"],
    ["░", "."],
  ].flatMap(([signs = "", letter = ""]) => [...signs].map((sign) => [sign, letter])),
);

/** The characters that have a replacement. */
export const drawnSigns = new RegExp(`[${Object.keys(plain).join("")}]`, "g");

/** Replaces drawing characters without changing the width. Letters of other languages are content and stay. */
function plainSigns(line: string): string {
  return line.replace(drawnSigns, (sign) => plain[sign] ?? "?");
}
