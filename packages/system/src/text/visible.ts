// What a person sees of a text: characters that are not seen, and what a program draws on a terminal.

// The one definition of characters that a person does not see: removed from what a model reads, shown as signs to a person.

/**
 * Control characters, format characters (zero width, soft hyphens, directions of writing, tags, which can spell whole sentences),
 * fillers, variation selectors, private and broken characters. Unicode says which they are, except the three of interlinear
 * annotations.
 */
const unseen = String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;

/** The signs of numbers and years in Arabic, Syriac and Kaithi are format characters, but visible. */
const seen = String.raw`[\t\n\f\r\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]`;

/** The selector of an emoji or of a key cap, and the joiner between two emoji. */
const ofEmoji = String.raw`(?<=\p{Extended_Pictographic})\ufe0f|\ufe0f(?=\u20e3)|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})`;

const invisible = new RegExp(`(?!${seen}|${ofEmoji})${unseen}`, "gu");

/** Whether a text has a character that a person does not see and a model reads. Emoji and white space have none. */
export function hasInvisible(text: string): boolean {
  return text.search(invisible) >= 0;
}

/** Removes these characters, and counts them. */
export function withoutInvisible(text: string): { readonly text: string; readonly removed: number } {
  let removed = 0;
  const visible = text.replace(invisible, () => {
    removed++;
    return "";
  });
  return { text: visible, removed };
}

/** Removes these characters from a text with instructions for a model. `note`: the end of a sentence about it, if there were any. */
export function visibleInstructions(given: string): { readonly text: string; readonly note?: string } {
  // The mark at the start of a file is not part of its text.
  const { text, removed } = withoutInvisible(given.replace(/^\ufeff/, ""));
  if (removed === 0) return { text };
  const characters = removed === 1 ? "1 invisible character" : `${removed} invisible characters`;
  return { text, note: `has ${characters}, which the model does not get.` };
}

/** Returns a text on one line, without these characters. */
export function visibleLine(text: string): string {
  const spaced = text.replace(/[\s\p{Cc}]/gu, " ");
  return withoutInvisible(spaced).text.replace(/\s+/g, " ").trim();
}

/**
 * Characters that must not reach a terminal or a page: line separators, too, which make two lines of one. Zero-width joiner and variation selector 16
 * are allowed wherever they are: emoji need them, and a text may arrive in pieces. Private characters are drawn by some fonts.
 */
const unsafe = new RegExp(String.raw`(?![\n\t\u200d\ufe0f]|\p{Co})(?:${unseen}|[\p{Zl}\p{Zp}])`, "gu");

/**
 * Makes characters visible that control a terminal, change the order of a text or hide in it. Each character is replaced regardless of
 * its context, so nothing slips through when a text arrives in pieces.
 *
 * @param sign returns what is shown instead of a character.
 */
export function showInvisible(text: string, sign: (character: string) => string = signOf): string {
  // Most names and paths: five times as fast.
  if (/^[ -~]*$/.test(text)) return text;
  return text.replace(unsafe, (character) => sign(character));
}

/** The same for a text that stays on one line: line feeds and tabs are shown, too. */
export function showOnLine(text: string, sign: (character: string) => string = signOf): string {
  return showInvisible(text, sign).replace(/[\n\t]/g, (character) => sign(character));
}

/** A character in ASCII, as JavaScript escapes it. */
export function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** A visible sign for a character: that of Unicode, or its number. */
export function signOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  // Unicode has pictures of the C0 controls and DEL.
  if (point < 0x20) return String.fromCodePoint(0x2400 + point);
  if (point === 0x7f) return "\u2421";
  return `<U+${point.toString(16).toUpperCase().padStart(4, "0")}>`;
}

// What a program printed, as a person would have seen it on a terminal: without colours, and with each line as it was last drawn.

/** A complete escape sequence: CSI, OSC, the other strings, or a short one. */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
  /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~])|\u001b(?:\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)|[PX^_][^\u001b\n]*\u001b\\|[ -/]+[0-~]|(?![[\]PX^_])[0-~])/y;

/** One that the text ends in the middle of. */
const begun =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
  /(?:(?:\u001b\[|\u009b)[0-?]*[ -/]*|\u001b(?:[\]PX^_][^\u0007\u001b\n]*\u001b?|[ -/]*))$/y;

/** What moves the cursor or is not drawn: BEL, BS, LF, CR, SO, SI, ESC, CSI. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
const control = /[\u0007\b\n\r\u000e\u000f\u001b\u009b]/g;

/** What is drawn over is looked for in the last row of a line, in characters: a terminal wraps longer lines, too. */
const maxRowLength = 4_096;

/** An escape sequence that does not end within this many characters is text. */
const maxSequenceLength = 65_536;

/**
 * Turns what a program prints into the text that a terminal shows: escape sequences are removed, and what follows `\r`, `\b` or a
 * cursor movement within the line overwrites it. Movements to other lines are ignored.
 */
export class TerminalText {
  /** What is drawn in the current row, as long as it only grows at its end. */
  #row = "";
  /** The characters of the row, once the cursor has been moved. */
  #cells: string[] | undefined;
  /** Where the next character goes in `#cells`. */
  #column = 0;
  /** An unfinished escape sequence. */
  #rest = "";

  /** Returns the lines that are complete now. */
  push(text: string): string {
    const given = this.#rest + text;
    this.#rest = "";
    let done = "";
    let from = 0;
    control.lastIndex = 0;
    for (let match = control.exec(given); match; match = control.exec(given)) {
      const at = match.index;
      if (at > from) done += this.#draw(given.slice(from, at));
      const end = this.#follow(given, at);
      if (end === undefined) {
        this.#rest = given.slice(at);
        return done;
      }
      if (given[at] === "\n") done += `${this.#endRow()}\n`;
      from = end;
      control.lastIndex = end;
    }
    return done + this.#draw(given.slice(from));
  }

  /** What is drawn in the last line so far. */
  get row(): string {
    return this.#cells?.join("") ?? this.#row;
  }

  /** Returns the last line, if it has no newline. */
  end(): string {
    this.#rest = "";
    return this.#endRow();
  }

  /** Carries out a control character or a sequence; returns where it ends, `undefined` if it has not ended yet. */
  #follow(text: string, at: number): number | undefined {
    const character = text[at];
    if (character === "\r") this.#move(() => 0);
    if (character === "\b") this.#move((column) => column - 1);
    if (character !== "\u001b" && character !== "\u009b") return at + 1;
    sequence.lastIndex = at;
    const [all, parameters = "", final] = sequence.exec(text) ?? [];
    if (all !== undefined) {
      if (final !== undefined && final !== "m") this.#control(final, parameters);
      return at + all.length;
    }
    begun.lastIndex = at;
    return text.length - at < maxSequenceLength && begun.test(text) ? undefined : at + 1;
  }

  #control(final: string, parameters: string): void {
    const count = /^\d+$/.test(parameters) ? Number(parameters) : 1;
    if (final === "G") this.#move(() => count - 1);
    if (final === "C") this.#move((column) => column + count);
    if (final === "D") this.#move((column) => column - count);
    if (final === "K") this.#erase(parameters);
  }

  /** Erases the rest of the row, its beginning (1) or all of it (2). */
  #erase(parameters: string): void {
    this.#move((column) => column);
    const cells = this.#cells ?? [];
    if (parameters === "1" || parameters === "2") cells.fill(" ", 0, this.#column);
    if (parameters !== "1") cells.length = Math.min(cells.length, this.#column);
  }

  #move(to: (column: number) => number): void {
    if (this.#cells === undefined) {
      this.#cells = Array.from(this.#row);
      this.#column = this.#cells.length;
    }
    this.#column = Math.min(Math.max(to(this.#column), 0), maxRowLength);
  }

  /** Draws a text where the cursor is. Returns what has left the row at its start. */
  #draw(text: string): string {
    if (this.#cells === undefined) this.#row += text;
    else this.#overwrite(this.#cells, text);
    const length = this.#cells?.length ?? this.#row.length;
    return length > maxRowLength ? this.#endRow() : "";
  }

  #overwrite(cells: string[], text: string): void {
    while (cells.length < this.#column) cells.push(" ");
    for (const character of text) cells[this.#column++] = character;
  }

  /** Spaces at the end have only erased something, if the cursor was moved. */
  #endRow(): string {
    const row = this.#cells?.join("").trimEnd() ?? this.#row;
    this.#row = "";
    this.#cells = undefined;
    return row;
  }
}
