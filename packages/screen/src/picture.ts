/** An image on the terminal: blank rows, and the sequence that draws it over them, written on the last one. */
export interface Picture {
  readonly rows: number;
  readonly sequence: string;
}

/** A line of text, sanitised, perhaps with colours; or an image. */
export type DrawnLine = string | Picture;

/** Returns the rows of lines, from top to bottom. @param drawable reduces a text to what the terminal can show. */
export function rowsToWrite(lines: readonly DrawnLine[], drawable: (text: string) => string): string[] {
  return lines.flatMap((line) =>
    typeof line === "string" ? [drawable(line)] : [...Array<string>(line.rows - 1).fill(""), line.sequence],
  );
}
