import { printOut } from "../../host/stdout.ts";
import { isKey } from "../pi-tui/keys.ts";
import { cutStyled, wrapStyled } from "../pi-tui/text.ts";
import type { Theme } from "../pi-tui/theme.ts";
import type { Surface } from "../terminal/surface.ts";

/** A full-screen text on the alternate screen; closing it restores the screen below. */
export interface Viewer {
  key(typed: string): void;
  close(): void;
}

/** What a viewer is drawn on. */
export interface ViewerGround {
  readonly surface: Pick<Surface, "drawable" | "hide" | "show">;
  readonly theme: () => Theme;
  /** Called when it is closed, before the screen below is shown again. */
  readonly closed: () => void;
}

export interface ViewerOptions {
  readonly title: string;
  /** Renders the text, sanitised, for a width. */
  readonly render: (columns: number) => readonly string[];
  /** Shows the end first. */
  readonly isAtEnd?: boolean;
  /** The key that closes it, and where that leads. */
  readonly closeHint?: string;
  /** Called whenever the end is visible. */
  readonly endShown?: () => void;
}

const enter = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const leave = "\u001b[?7h\u001b[?1049l";

/** Opens a full-screen text. */
export function openViewerOn(
  ground: ViewerGround,
  { title, render, isAtEnd = false, endShown, closeHint = "q closes" }: ViewerOptions,
): Viewer {
  const { surface, theme, closed } = ground;
  let isOpen = true;
  let top = isAtEnd ? Number.MAX_SAFE_INTEGER : 0;
  let drawnFor = 0;
  let lines: readonly string[] = [];
  const onResize = () => draw();
  surface.hide();
  printOut(enter);
  process.stdout.on("resize", onResize);
  draw();
  return { key, close };

  function draw(): void {
    const { columns = 80, rows = 24 } = process.stdout;
    if (drawnFor !== columns) lines = render(columns).flatMap((line) => wrapStyled(surface.drawable(line), columns));
    drawnFor = columns;
    const room = Math.max(1, rows - 1);
    top = Math.max(0, Math.min(top, lines.length - room));
    const shown = lines.slice(top, top + room);
    const left = lines.length - top - shown.length;
    // The key that closes comes first: the rest may be cut off.
    const place = `${closeHint}   ${left > 0 ? `${left} more lines: space` : "the end"}   arrows scroll, b back, g top, G bottom   ${title}`;
    const rowsShown = [
      ...shown,
      ...Array(room - shown.length).fill(""),
      theme().style.dim(cutStyled(place, columns, "")),
    ];
    const all = rowsShown.map((line, row) => `\u001b[${row + 1};1H\u001b[K${line}`).join("");
    printOut(`\u001b[?2026h${all}\u001b[?2026l`);
    if (left <= 0) endShown?.();
  }

  function key(typed: string): void {
    const page = Math.max(1, (process.stdout.rows || 24) - 2);
    if (isKey(typed, "q", "escape", "ctrl+o", "enter")) {
      close();
      return;
    }
    if (isKey(typed, "down", "j")) top++;
    else if (isKey(typed, "up", "k")) top--;
    else if (isKey(typed, "pageDown", "space", "ctrl+f")) top += page;
    else if (isKey(typed, "pageUp", "b", "ctrl+b")) top -= page;
    else if (isKey(typed, "home", "g")) top = 0;
    else if (isKey(typed, "end", "shift+g") || typed === "G") top = Number.MAX_SAFE_INTEGER;
    else return;
    draw();
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    process.stdout.off("resize", onResize);
    closed();
    printOut(leave);
    surface.show();
  }
}
