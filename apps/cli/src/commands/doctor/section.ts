/** A part of what `doctor` prints. */
export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** A line of it: what is so, what the user should look at, or what stops ikigai. */
export interface Line {
  readonly kind: "fine" | "note" | "broken";
  readonly text: string;
}

export const fine = (text: string): Line => ({ kind: "fine", text });
export const note = (text: string): Line => ({ kind: "note", text });
export const broken = (text: string): Line => ({ kind: "broken", text });
