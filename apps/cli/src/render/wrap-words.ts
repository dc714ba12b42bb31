import { textWidth } from "./text-width.ts";

/** Breaks a sanitised line between words, where it is wider than that. A word that is too wide stays whole. */
export function wrapWords(line: string, maxColumns: number): string {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    const longer = current === "" ? word : `${current} ${word}`;
    if (current === "" || textWidth(longer) <= maxColumns) current = longer;
    else {
      lines.push(current);
      current = word;
    }
  }
  return [...lines, current].join("\n");
}
