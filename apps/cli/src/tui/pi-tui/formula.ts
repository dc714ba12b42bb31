import { renderLatex } from "@earendil-works/pi-tui";

/** A formula in LaTeX as text, as answers show it; undefined if it has something that is not known. */
export function formulaText(latex: string): string | undefined {
  return renderLatex(latex);
}
