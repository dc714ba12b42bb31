// The dialog of a question: answered by a letter, a word or the arrows. In reading order: the two dialogs, the line in which the answer is
// typed, and their rows.

import {
  characterOf,
  cutStyled,
  type Dialog,
  edited,
  type Frame,
  isKey,
  type Skin,
  styledWidth,
  wrapHanging,
} from "@ikigai/screen";
import { layOutLines, proseWidth } from "../../render/question/question-rows.ts";
import { type QuestionAnswer, readAnswer } from "../../render/question/render-question.ts";

/** What a question shows now: it changes when more of the call becomes visible. Our own text, sanitised. */
interface ShownQuestion {
  readonly title: string;
  /** At the end of the title's row. */
  readonly remark: string;
  readonly answers: readonly QuestionAnswer[];
  /** Whether answers wrap instead of being cut: what they say is nowhere else. `more` is left out then. */
  readonly isWhole?: boolean;
  /** The letters that answer now. */
  readonly letters: string;
}

export interface QuestionDialogOptions {
  /** Who asks. */
  readonly asker: string;
  readonly current: () => ShownQuestion;
  readonly look: () => Skin;
  /** Called before it is drawn. */
  readonly drawn?: () => void;
  /** Called with the letter of an answer that is not possible yet, or of none; returns whether it is one that may be possible later. */
  readonly refused: (letter: string) => boolean;
  /** Letters that only mark their answer until Enter: a sentence that begins with one must not save a rule. */
  readonly marking?: string;
  /** Called with a text that is no answer. */
  readonly unknown?: () => void;
  /** Called before `n` settles it, with the reason that was typed behind it. */
  readonly because?: (words: string) => void;
  /** Tab changes what an answer does. */
  readonly change?: () => void;
  /** Called when a digit or a letter has only marked an answer. */
  readonly marked?: () => void;
  /** Called when the permission mode has changed. */
  readonly modeChanged?: () => void;
}

/** A screen with fewer rows has the answers side by side, so that the call itself stays visible. */
const minRows = 17;

/**
 * Asks for one of some answers, by its letter or its number, a word and Enter, or the arrows and Enter; undefined on Esc. A capital is no
 * letter.
 */
export function questionDialog(options: QuestionDialogOptions, settle: (letter: string | undefined) => void): Dialog {
  const { asker, current, look, refused, marking = "", unknown = () => {}, marked, modeChanged } = options;
  let selected = 0;
  const chosen = () => {
    const { answers } = current();
    selected = Math.min(selected, answers.length - 1);
    return answers[selected]?.letter ?? "";
  };
  const isMarking = (letter: string) => letter !== "" && marking.includes(letter);
  const move = (by: number) => {
    const { length } = current().answers;
    selected = (selected + by + length) % length;
    if (isMarking(line.text())) line.clear();
  };
  const line = answerLine({
    letters: () => current().letters,
    waits: isMarking,
    chosen,
    settle(letter, words) {
      if (words !== "") options.because?.(words);
      settle(letter);
    },
    refused,
    unknown,
  });
  return {
    asker,
    keepsAbove: true,
    render(columns, rows) {
      options.drawn?.();
      chosen();
      const now = current();
      const shown = line.text() === "" ? now : { ...now, title: `${now.title}  ${line.text()}` };
      const frame =
        rows < minRows ? inLine(shown, selected, columns, look()) : inRows(shown, selected, columns, look());
      if (line.text() === "") return frame;
      return { ...frame, cursor: { row: 0, column: Math.min(columns - 1, styledWidth(`  ${shown.title}`)) } };
    },
    key(typed) {
      if (isKey(typed, "escape", "ctrl+d")) return line.text() === "" ? settle(undefined) : line.clear();
      if (isKey(typed, "up", "ctrl+p", "left")) return move(-1);
      if (isKey(typed, "down", "ctrl+n", "right")) return move(1);
      if (isKey(typed, "tab")) return options.change?.();
      if (isKey(typed, "shift+tab")) return settle("m");
      const numbered = line.text() === "" ? letterOf(characterOf(typed), current().answers) : undefined;
      if (numbered === undefined || !isMarking(numbered)) line.key(numbered ?? typed);
      const waiting = numbered ?? line.text();
      if (!isMarking(waiting)) return;
      selected = current().answers.findIndex(({ letter }) => letter === waiting);
      marked?.();
    },
    paste: line.paste,
    takesShiftTab: () => current().letters.includes("m"),
    ...(modeChanged && { modeChanged }),
    cancel: () => settle(undefined),
  };
}

/** The letter of the answer with this number, as other agents number theirs. Answers of a tool have digits as letters. */
function letterOf(digit: string | undefined, answers: readonly QuestionAnswer[]): string | undefined {
  const isNumber = /^[1-9]$/.test(digit ?? "") && !answers.some(({ letter }) => /^\d$/.test(letter));
  return isNumber ? answers[Number(digit) - 1]?.letter : undefined;
}

interface LetterQuestion {
  /** The question and its letters. */
  readonly question: string;
  readonly letters: string;
  /** Set for a question that the user has not asked for: only Enter answers it, so the first key of a message does not. */
  readonly asker?: string | undefined;
  /** The key that has opened it, which answers with the first letter. */
  readonly again?: "ctrl+d" | undefined;
  /** Called with a text that is no answer. */
  readonly unknown?: () => void;
}

/** Asks for one of some letters, or its word and Enter; undefined on Esc. */
export function letterDialog(
  { question, letters, asker, again, unknown = () => {} }: LetterQuestion,
  settle: (answer: string | undefined) => void,
): Dialog {
  const line = answerLine({
    letters: () => letters,
    needsEnter: asker !== undefined,
    chosen: () => "",
    settle: (letter) => settle(letter),
    refused: () => false,
    unknown,
  });
  return {
    asker,
    keepsAbove: asker !== undefined,
    render(columns) {
      const lines = wrapAnswers(`${question.trimEnd()}  ${line.text()}`.trimEnd(), columns - 1);
      const last = lines.at(-1) ?? "";
      return { lines, cursor: { row: lines.length - 1, column: styledWidth(last) + 1 } };
    },
    key(typed) {
      if (again && isKey(typed, again)) return settle(letters[0]);
      if (isKey(typed, "escape", "ctrl+d")) return line.text() === "" ? settle(undefined) : line.clear();
      line.key(typed);
    },
    paste: line.paste,
    cancel: () => settle(undefined),
  };
}

interface AnswerLineOptions {
  readonly letters: () => string;
  /** Whether a letter does not answer at once. */
  readonly needsEnter?: boolean;
  readonly waits?: (letter: string) => boolean;
  /** The letter that Enter alone means; empty for none. */
  readonly chosen: () => string;
  readonly settle: (letter: string, words: string) => void;
  readonly refused: (letter: string) => boolean;
  readonly unknown: () => void;
}

/** The input of a question: a letter answers at once unless it waits for Enter, anything else is a text that Enter ends. */
function answerLine({
  letters,
  needsEnter = false,
  waits = () => false,
  chosen,
  settle,
  refused,
  unknown,
}: AnswerLineOptions) {
  let text = "";
  const answer = (letter: string, words: string) => {
    text = "";
    if (letters().includes(letter)) settle(letter, words);
    else refused(letter);
  };
  return {
    text: () => text,
    clear() {
      text = "";
    },
    paste(pasted: string) {
      text += pasted.replace(/\s+/g, " ").trimStart();
    },
    key(typed: string) {
      const character = characterOf(typed);
      if (isKey(typed, "enter")) {
        const read = readAnswer(text);
        if (text.trim() === "" ? chosen() !== "" : read) answer(read?.letter ?? chosen(), read?.words ?? "");
        else if (text.trim() !== "") unknown();
        return;
      }
      // A "y" that was refused may begin "yes", but is in the way of no other letter.
      if (text === "y" && character !== "e" && !needsEnter) text = "";
      if (text !== "" || needsEnter || character === undefined) text = edited(text, typed);
      else if (letters().includes(character) && !waits(character)) settle(character, "");
      else if (letters().includes(character)) text = character;
      else if (!refused(character) || character === "y") text = character.trim();
    },
  };
}

/** Wraps lines between their parts, which three spaces separate; a part that is too long continues below, indented. */
function wrapAnswers(text: string, columns: number): string[] {
  const rows = text.split("\n").flatMap((line) => {
    const [first = "", ...rest] = line.trimEnd().split(/(?<=\S) {3,}/);
    const indent = /^ */.exec(line)?.[0] ?? "";
    const lines = [first];
    for (const part of rest) {
      const longer = `${lines.at(-1)}   ${part}`;
      if (styledWidth(longer) <= columns) lines[lines.length - 1] = longer;
      else lines.push(`${indent}${part}`);
    }
    return lines;
  });
  return rows.flatMap((row) => wrapHanging(row, columns, 4));
}

/** The title, then a row for each answer. */
function inRows(
  { title, remark, answers, isWhole = false }: ShownQuestion,
  selected: number,
  columns: number,
  look: Skin,
): Frame {
  const { theme, signs } = look;
  const { style } = theme;
  const room = Math.max(0, columns - styledWidth(`  ${title}${remark}`) - 1);
  const lines = [`  ${style.bold(title)}${" ".repeat(room)}${style.dim(remark)}`];
  let row = 0;
  for (const [index, { letter, text, more }] of answers.entries()) {
    const isSelected = index === selected;
    if (isSelected) row = lines.length;
    const margin = isSelected ? theme.selected(`${signs.prompt} ${letter}`) : `  ${style.bold(letter)}`;
    const line = { ...answerMargin, marginLook: () => `${margin}  `, text };
    const rows = layOutLines([line], { signs, style, columns });
    const [only = "", ...others] = rows;
    if (others.length === 0 && more !== undefined && !isWhole)
      lines.push(cutStyled(`${only}${style.dim(`   ${more}`)}`, columns - 1, signs.cut));
    else if (isWhole || rows.length <= maxAnswerRows) lines.push(...rows);
    // The call that a longer rule is about is shown above.
    else
      lines.push(
        ...rows.slice(0, maxAnswerRows - 1),
        cutStyled(`${rows[maxAnswerRows - 1]} ${signs.cut}`, columns - 1, signs.cut),
      );
  }
  return { lines, cursor: { row, column: 0 } };
}

/** How many rows an answer takes that is not shown whole. */
const maxAnswerRows = 3;

/** A row of an answer, whose letter replaces the margin. */
const answerMargin = { margin: "     ", continued: "" };

/** All on as few rows as possible; the answers wrap between them. */
function inLine(
  { title, remark, answers, isWhole = false }: ShownQuestion,
  selected: number,
  columns: number,
  look: Skin,
): Frame {
  const { theme, signs } = look;
  const lines: string[] = [`  ${theme.style.bold(title)}`];
  let cursor = { row: 0, column: 0 };
  for (const [index, { letter, text }] of answers.entries()) {
    const isSelected = index === selected;
    const whole = `${isSelected ? `${signs.prompt} ` : ""}${letter} ${text}`;
    const part = isWhole ? whole : cutStyled(whole, columns - 3, signs.cut);
    const width = proseWidth(part);
    const isBeside = styledWidth(lines.at(-1) ?? "") + 3 + width < columns;
    const start = isBeside ? `${lines.pop()}   ` : "  ";
    if (isSelected) cursor = { row: lines.length, column: styledWidth(start) };
    const look = (row: string) => (isSelected ? theme.selected(row) : row);
    if (isWhole && width + 3 > columns)
      lines.push(
        ...layOutLines([{ margin: "  ", continued: "", text: part, look }], { signs, style: theme.style, columns }),
      );
    else lines.push(`${start}${look(part)}`);
  }
  const last = `${lines.at(-1)}   ${theme.style.dim(remark)}`;
  if (remark !== "" && styledWidth(last) < columns) lines[lines.length - 1] = last;
  return { lines: lines.flatMap((line) => wrapHanging(line, columns - 1, 4)), cursor };
}
