import { changedLines, type FileChange, type PaintChange } from "../../render/file-change.ts";
import type { Look } from "../../render/line-output.ts";
import { layOutLines } from "../../render/question-rows.ts";
import type { Theme } from "../pi-tui/theme.ts";
import { changePaint, loadedRenderers, loadRenderers } from "./renderers.ts";

type PaintedLook = Look & { readonly paint?: PaintChange | undefined };

/** The rows of a call's change, which are drawn again only if something about them is new. */
interface ChangeRows {
  render(change: FileChange | undefined, look: PaintedLook): readonly string[];
  /** Whether they are as they will stay: their colours are loaded with the first change. */
  areReady(change: FileChange | undefined): boolean;
}

export function createChangeRows(theme: () => Theme, changed: () => void): ChangeRows {
  let drawn: { readonly of: readonly unknown[]; readonly rows: readonly string[] } | undefined;
  let isLoading = false;
  let hasFailed = false;
  const load = () => {
    if (isLoading || loadedRenderers()) return;
    isLoading = true;
    // Without its colours a change is still one.
    const failed = () => {
      hasFailed = true;
    };
    void loadRenderers().catch(failed).then(changed);
  };
  return {
    render(change, look) {
      if (!change) return [];
      load();
      const paint = changePaint(theme());
      const of = [change, look.columns, look.style, paint];
      if (!drawn || drawn.of.some((one, index) => one !== of[index])) {
        drawn = { of, rows: drawChange(change, { ...look, paint }) };
      }
      return drawn.rows;
    },
    areReady: (change) => !change || hasFailed || loadedRenderers() !== undefined,
  };
}

/** All rows of a change, indented. */
export function drawChange(change: FileChange, look: PaintedLook): string[] {
  const lines = changedLines(change, look, look.paint).map((line) => ({ ...line, margin: `    ${line.margin}` }));
  return layOutLines(lines, look);
}
