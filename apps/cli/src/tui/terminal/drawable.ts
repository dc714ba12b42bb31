import type { TerminalKind } from "../../render/terminal-kind.ts";

/** A line as it may be drawn. */
export type Drawable = (line: string) => string;

/**
 * What a terminal of that kind can show of a line, and wants to: nothing in it but text and colours, whatever way it came.
 * What others say is made visible long before; this is for what was overlooked, and for what libraries make of it.
 */
export function drawableOn({ hasColours, isAscii }: Pick<TerminalKind, "hasColours" | "isAscii">): Drawable {
  const steps = [onlyColours, ...(hasColours ? [] : [withoutColours]), ...(isAscii ? [plainSigns] : [])];
  return (line) => steps.reduce((text, step) => step(text), line);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
const notOurs = /\u001b(?!\[[\d;]*m)|[\u0000-\u001a\u001c-\u001f\u007f-\u009f]/g;

function onlyColours(line: string): string {
  return line.replaceAll("\t", "    ").replace(notOurs, "");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: how a terminal is told of looks
const looks = /\u001b\[([\d;]*)m/g;

/** Of a look, what is a colour of text, ground or underline: of sixteen, of 256, or of its parts. */
const colour = /(?:^|;)(?:[345]8;(?:5;\d+|2;\d+;\d+;\d+)|[345]9|[34][0-7]|9[0-7]|10[0-7])(?=;|$)/g;

/** Bold, dim and the like stay: they are no colours. */
function withoutColours(line: string): string {
  return line.replace(looks, (whole, codes: string) => {
    const rest = codes.replace(colour, "").replace(/^;/, "");
    if (rest === codes) return whole;
    return rest === "" ? "" : `\u001b[${rest}m`;
  });
}

/** Signs that we and the libraries draw with, and what stands for each where there is nothing but ASCII. */
const plain: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["─━═", "-"],
    ["│┃║▏", "|"],
    ["┌┐└┘├┤┬┴┼╭╮╰╯", "+"],
    ["›❯→▶", ">"],
    ["←", "<"],
    ["↳", "\\"],
    ["↑", "^"],
    ["↓", "v"],
    ["●•⠋⠙⠸⠴⠦⠇", "*"],
    ["·…", "."],
    ["−–—", "-"],
    ["█", "#"],
    ["░", "."],
  ].flatMap(([signs = "", letter = ""]) => [...signs].map((sign) => [sign, letter])),
);

const drawnSigns = new RegExp(`[${Object.keys(plain).join("")}]`, "g");

/** Each is as wide as what it stands for. Letters of other languages are what somebody has written, and stay. */
function plainSigns(line: string): string {
  return line.replace(drawnSigns, (sign) => plain[sign] ?? "?");
}
