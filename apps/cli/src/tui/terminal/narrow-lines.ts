import { columnsOf, wrapMarks, wrapStyled } from "../pi-tui/text.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of links
const links = /\u001b\]8;;[^\u0007\u001b]*\u001b\\/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what begins a sequence other than a style or a link: an image
const image = /\u001b(?!\[[\d;]*m|\]8;;|\\)/;

/** Wraps lines again that were laid out for a wider window, in which they would be cut. Those lose their links. */
export function narrowLines(lines: readonly string[], columns: number): string[] {
  return lines.flatMap((line) => {
    if (image.test(line) || columnsOf(line) <= columns) return [line];
    const mark = Object.values(wrapMarks).find((one) => line.startsWith(one)) ?? "";
    return wrapStyled(line.slice(mark.length).replace(links, ""), columns);
  });
}
