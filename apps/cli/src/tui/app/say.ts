import { fixedBlock } from "../components/block.ts";
import { wrapStyled } from "../pi-tui/text.ts";
import type { Tui } from "./tui.ts";

/** Puts a text of ours, sanitised and with colours, into what has been said. */
export function say(tui: Tui, text: string): void {
  const lines = text.replace(/\n+$/, "").split("\n");
  tui.transcript.add(fixedBlock("note", (columns) => lines.flatMap((line) => wrapStyled(line, columns))));
}
