/** A part of what `doctor` prints. */
export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** A line of a section: a fact, something to look at, or something that stops ikigai. */
export interface Line {
  readonly kind: "fine" | "note" | "broken";
  readonly text: string;
}

export const fine = (text: string): Line => ({ kind: "fine", text });
export const note = (text: string): Line => ({ kind: "note", text });
export const broken = (text: string): Line => ({ kind: "broken", text });
