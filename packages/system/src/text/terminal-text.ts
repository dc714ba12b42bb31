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
