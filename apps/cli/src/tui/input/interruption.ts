import type { Tui } from "../app/tui.ts";
import { leave } from "../commands/jobs.ts";
import type { Editor } from "../pi-tui/editor.ts";

/** How long a second Ctrl-C counts as such, in milliseconds. */
const twiceMs = 2_000;

/** Up brings it back, until ikigai is left. */
function throwAway(editor: Editor): void {
  editor.remember(editor.text());
  editor.setText("");
}

/** What Ctrl-C does: it stops what goes on, else leaves a question, else throws away what is written, else quits. */
export function interruption(tui: Tui): () => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const { viewer, dialog, work, editor } = tui;
    if (viewer) return viewer.close();
    if (work) work.abort();
    else if (dialog) dialog.cancel();
    else if (editor.text() !== "") throwAway(editor);
    else if (performance.now() - lastMs < twiceMs) return void leave(tui);
    else {
      lastMs = performance.now();
      tui.showHint("Ctrl-C again, or Ctrl-D, to quit");
    }
  };
}
