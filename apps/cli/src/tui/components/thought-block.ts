import { textEnd } from "@ikigai/protocol";
import { sanitise } from "../../render/sanitise.ts";
import { duration } from "../../render/short-forms.ts";
import { wrapStyled } from "../pi-tui/text.ts";
import type { Theme } from "../pi-tui/theme.ts";
import { type ThoughtRecord, withoutMarks } from "./call-record.ts";
import type { Block } from "./transcript.ts";

/** A model's reasoning: its last lines while it streams, then its duration. */
export interface ThoughtBlock extends Block {
  add(text: string): void;
  /** Returns it in full, as far as it is kept. */
  end(): ThoughtRecord;
}

const maxLines = 3;

/** Kept from the end, in characters. */
const maxKept = 50_000;

/** Wrapped to fill those lines, in characters. */
const maxShown = 4_000;

/** Shorter reasoning leaves no line, in milliseconds. */
const worthMs = 1_000;

export function createThoughtBlock(theme: () => Theme, changed: () => void): ThoughtBlock {
  const startedMs = performance.now();
  let text = "";
  let tookMs: number | undefined;
  return {
    kind: "note",
    add(more) {
      text = textEnd(text + more, maxKept);
      changed();
    },
    end() {
      const thoughtMs = performance.now() - startedMs;
      tookMs ??= thoughtMs;
      changed();
      return { thought: text, tookMs: thoughtMs };
    },
    takeSettled() {
      if (tookMs === undefined || tookMs < worthMs) return [];
      const line = theme().style.dim(`thought for ${duration(tookMs)}`);
      tookMs = 0;
      return [line];
    },
    render(columns) {
      if (tookMs !== undefined) return [];
      const { style } = theme();
      const lines = withoutMarks(sanitise(textEnd(text.trim(), maxShown)))
        .split("\n")
        .flatMap((line) => wrapStyled(line, columns - 2));
      return lines.slice(-maxLines).map((line) => style.dim(`  ${line}`));
    },
    isDone: () => tookMs !== undefined,
  };
}
