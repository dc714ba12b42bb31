// Who gets a key: the viewer, the dialog, or the draft. The focus moves by the user's keys, except for a question that opens while nothing is
// typed.

import { characterOf, type Dialog, isKey, isKeyRepeat } from "@ikigai/screen";
import type { DialogKind, Focus, Tui } from "../app/tui.ts";

/** A question that opens without being asked for takes no keys of a user who typed less than this ago, in milliseconds. */
const idleMs = 500;

/** Equal keys that follow sooner than this, in milliseconds, repeat a key that is held down: no one types that fast. */
const repeatMs = 40;

/** The words whose first letter answers at once. The rest, typed behind it, is no other answer and no message. */
const words: Readonly<Record<string, readonly string[]>> = {
  y: ["yes", "yep", "yeah"],
  n: ["no", "not", "nope", "never"],
};

const clearLine = "\u0015";

/** What takes keys and pastes once it is their turn. */
interface KeyTaker {
  key(typed: string): void;
  paste(text: string, isCut: boolean): void;
}

/**
 * Decides who gets the keys: the viewer, else the dialog that has the focus, else the draft. The focus moves by a key of the user; only a
 * question that opens while nothing is being typed takes it. Keys wait for the dialog that one of them opens, until it is on the screen.
 */
export class KeyFocus implements Focus {
  readonly #tui: () => Tui;
  readonly #taker: KeyTaker;
  #focused: Dialog | undefined;
  #isDrawn = true;
  #lastKeyMs = Number.NEGATIVE_INFINITY;
  /** The kind of dialog for which keys wait, and what may open one. */
  #expected: DialogKind | undefined;
  readonly #running: Record<DialogKind, object | undefined> = { command: undefined, question: undefined };
  readonly #waiting: (() => void)[] = [];
  /** The last key, and what it was for. */
  #last: { typed: string; atMs: number; target?: object | undefined } = { typed: "", atMs: 0 };
  /** The letter or the number that has just answered, what has been typed of its word since, and whether Enter alone may end it. */
  #said: { readonly letter: string; readonly rest: string; readonly mayEnd: boolean } | undefined;

  constructor(tui: () => Tui, taker: KeyTaker) {
    this.#tui = tui;
    this.#taker = taker;
  }

  isOnDialog(): boolean {
    return this.#dialog() !== undefined;
  }

  take(typed: string): void {
    const atMs = performance.now();
    const isRepeat = isKeyRepeat(typed) || (typed === this.#last.typed && atMs - this.#last.atMs < repeatMs);
    this.#last = { ...this.#last, typed, atMs };
    // These do not wait, and stop waiting for a list that does not come.
    if (isKey(typed, "escape", "ctrl+c", "ctrl+\\", "ctrl+z")) {
      this.#expected = undefined;
      this.#waiting.splice(0);
    }
    this.#arrive(() => this.#pass(typed, isRepeat));
  }

  paste(text: string, isCut: boolean): void {
    this.#arrive(() => {
      this.#said = undefined;
      this.#taker.paste(text, isCut);
    });
  }

  opened(dialog: Dialog, kind: DialogKind): void {
    const { editor, viewer } = this.#tui();
    const isIdle = editor.text() === "" && !viewer && performance.now() - this.#lastKeyMs >= idleMs;
    if (this.#expected === kind || isIdle) this.#focused = dialog;
    // Enter is for a question that has come later.
    if (this.#expected !== kind && this.#said) this.#said = { ...this.#said, mayEnd: false };
    this.#expected = undefined;
    this.#isDrawn = false;
  }

  drawn(): void {
    if (this.#isDrawn) return;
    this.#isDrawn = true;
    // Not while it draws.
    setImmediate(() => this.#passWaiting());
  }

  answered(kind: DialogKind): void {
    this.sent();
    if (this.#running[kind]) this.#expected = kind;
  }

  toDialog(): void {
    this.#focused = this.#tui().dialog;
    this.#isDrawn = false;
  }

  toDraft(): void {
    this.#focused = undefined;
  }

  sent(): void {
    this.#lastKeyMs = Number.NEGATIVE_INFINITY;
  }

  expect(command: Promise<unknown>): void {
    const one = {};
    this.#running.command = one;
    this.#expected = "command";
    void command.finally(() => this.#running.command === one && this.release("command"));
  }

  asks(): void {
    this.#running.question = {};
  }

  release(kind: DialogKind): void {
    this.#running[kind] = undefined;
    if (this.#expected !== kind) return;
    this.#expected = undefined;
    this.#passWaiting();
  }

  /** The open dialog, if it has the focus. */
  #dialog(): Dialog | undefined {
    return this.#focused === this.#tui().dialog ? this.#focused : undefined;
  }

  #arrive(take: () => void): void {
    this.#lastKeyMs = performance.now();
    this.#waiting.push(take);
    this.#passWaiting();
  }

  #passWaiting(): void {
    while (this.#waiting.length > 0 && !this.#mustWait()) this.#waiting.shift()?.();
  }

  #mustWait(): boolean {
    return this.#expected !== undefined || (!this.#isDrawn && this.isOnDialog() && !this.#tui().viewer);
  }

  #pass(typed: string, isRepeat: boolean): void {
    const dialog = this.#dialog();
    const target = this.#tui().viewer ?? dialog;
    // A key that is held down acts on one thing only.
    if (isRepeat && target !== this.#last.target) return;
    this.#last.target = target;
    if (this.#endsAnswer(typed)) return;
    this.#taker.key(typed);
    const letter = characterOf(typed) ?? "";
    if (target && target === dialog && this.#tui().dialog !== dialog && /[yn\d]/.test(letter))
      this.#said = { letter, rest: "", mayEnd: true };
  }

  /** Takes the rest of the word whose first letter has answered: "es" and Enter after `y`. It is shown as what it would be otherwise. */
  #endsAnswer(typed: string): boolean {
    const said = this.#said;
    this.#said = undefined;
    const { editor, viewer } = this.#tui();
    const dialog = this.#dialog();
    if (!said || viewer || (!dialog && editor.text() !== said.rest)) return false;
    const { letter, rest, mayEnd } = said;
    const word = letter + rest;
    const character = characterOf(typed);
    const isWord = words[letter]?.includes(word) ?? false;
    if (isKey(typed, "enter") && (isWord || (rest === "" && mayEnd))) {
      this.#clear(dialog);
      if (dialog) this.#tui().showHint("This Enter belongs to your answer before.");
      this.sent();
      // The answer is complete, so a question that has opened meanwhile is next.
      if (!dialog && this.#tui().dialog) this.toDialog();
      return true;
    }
    if (character === undefined) return false;
    if (words[letter]?.some((one) => one.startsWith(word + character))) {
      this.#said = { ...said, rest: rest + character };
      if (!dialog) this.#taker.key(character);
      else dialog.paste?.(character);
      this.#tui().redraw(true);
      return true;
    }
    if (!isWord || !/[\s\p{P}]/u.test(character)) return false;
    // "no, use pnpm", "not now": with what follows, the answer is a message to the model.
    this.#clear(dialog);
    this.toDraft();
    editor.setText([editor.text(), word].filter(Boolean).join("\n"));
    this.#taker.key(typed);
    return true;
  }

  #clear(dialog: Dialog | undefined): void {
    if (dialog) dialog.key(clearLine);
    else this.#tui().editor.setText("");
    this.#tui().redraw(true);
  }
}
