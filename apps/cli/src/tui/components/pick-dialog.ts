import type { Frame } from "../pi-tui/editor.ts";
import { characterOf, isKey } from "../pi-tui/keys.ts";
import { columnsOf, cutStyled, rankMatches } from "../pi-tui/text.ts";
import type { Look } from "../pi-tui/theme.ts";
import type { Dialog } from "./dialog.ts";
import { edited } from "./edit-line.ts";

/** An entry of a list. All texts are sanitised and have no line breaks. */
export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly remark?: string;
}

export interface PickOptions<Value> {
  readonly title: string;
  readonly choices: readonly Choice<Value>[];
  /** Who asks, if the user has not opened it. */
  readonly asker?: string;
  /** What is above it belongs to it. */
  readonly keepsAbove?: boolean;
  /** Index of the entry selected first. */
  readonly selected?: number;
  /** Shown when there are no choices at all; by default, as when none matches. */
  readonly empty?: string;
  /** Shown when no choice matches the filter. */
  readonly noMatch?: string;
  /** The initial filter. */
  readonly filter?: string;
  /** The keys on the last line, if not the default ones. */
  readonly keys?: string;
  /** Handles a key before the list does; true if it did. */
  readonly onKey?: (typed: string, value: Value | undefined) => boolean;
}

const maxShown = 10;

/** Lets the user choose with the arrows or by typing part of an entry; undefined if they cancel. */
export function pickDialog<Value>(
  options: PickOptions<Value>,
  look: () => Look,
  settle: (answer: Value | undefined) => void,
): Dialog {
  let filter = options.filter ?? "";
  let selected = options.selected ?? 0;
  let found = matchingChoices(options.choices, filter);
  return {
    asker: options.asker,
    keepsAbove: options.keepsAbove ?? options.asker !== undefined,
    render: (columns, rows) => renderPicker(look(), options, { filter, selected, found }, columns, rows),
    key(typed) {
      if (options.onKey?.(typed, found[selected]?.value)) return;
      if (isKey(typed, "escape")) return settle(undefined);
      if (isKey(typed, "enter", "tab")) return found.length > 0 ? settle(found[selected]?.value) : undefined;
      if (isKey(typed, "up", "ctrl+p")) return move(-1);
      if (isKey(typed, "down", "ctrl+n")) return move(1);
      if (isKey(typed, "pageUp")) return move(-maxShown);
      if (isKey(typed, "pageDown")) return move(maxShown);
      write(edited(filter, typed));
    },
    paste: (text) => write(filter + [...text].filter((character) => characterOf(character)).join("")),
    cancel: () => settle(undefined),
  };

  function move(by: number): void {
    selected = Math.max(0, Math.min(found.length - 1, selected + by));
  }

  function write(text: string): void {
    if (text === filter) return;
    filter = text;
    found = matchingChoices(options.choices, filter);
    selected = 0;
  }
}

/** The entries that match a filter, the best ones first. */
export function matchingChoices<Value>(choices: readonly Choice<Value>[], filter: string): readonly Choice<Value>[] {
  return rankMatches(choices, filter, ({ label, remark = "" }) => `${label} ${remark}`);
}

interface Picking<Value> {
  readonly filter: string;
  readonly selected: number;
  readonly found: readonly Choice<Value>[];
}

function renderPicker<Value>(
  { theme, signs }: Look,
  { title, choices, noMatch = "No matches.", empty = noMatch, keys }: PickOptions<Value>,
  { filter, selected, found }: Picking<Value>,
  columns: number,
  rows: number,
): Frame {
  const { style } = theme;
  const room = Math.max(1, Math.min(maxShown, rows - 4));
  const first = Math.max(0, Math.min(selected - Math.floor(room / 2), found.length - room));
  const shown = found.slice(first, first + room);
  const width = Math.min(Math.max(0, ...shown.map(({ label }) => columnsOf(label))), Math.floor(columns * 0.7));
  const entries = shown.map(({ label, remark }, index) => {
    const isSelected = first + index === selected;
    const name = cutStyled(label, width, signs.cut);
    const gap = " ".repeat(Math.max(0, width - columnsOf(name)) + 2);
    const line = `${isSelected ? signs.prompt : " "} ${isSelected ? theme.selected(name) : name}${remark ? gap + style.dim(remark) : ""}`;
    return cutStyled(line, columns, signs.cut);
  });
  const question = `${style.bold(title)}  ${filter}`;
  const count = found.length > room ? `${selected + 1} of ${found.length}` : "";
  const help = [count, keys ?? "enter selects, esc cancels, type to filter"].filter(Boolean).join(` ${signs.dot} `);
  return {
    lines: [
      cutStyled(question, columns, signs.cut),
      ...(entries.length > 0 ? entries : [style.dim(`  ${choices.length > 0 ? noMatch : empty}`)]),
      cutStyled(style.dim(help), columns, signs.cut),
    ],
    cursor: { row: 0, column: columnsOf(`${title}  ${filter}`) },
  };
}
