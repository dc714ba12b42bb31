import { sanitise } from "../../render/sanitise.ts";
import { wrapStyled } from "../pi-tui/text.ts";
import type { AnswerBlock } from "./answer-block.ts";

/**
 * An answer to the letter: the built-in interpreter says what a tool printed, in which `# tests 1` is no heading. It comes
 * at once, so nothing is settled before its end.
 */
export function createPlainAnswerBlock(changed: () => void): AnswerBlock {
  let text = "";
  let isEnded = false;
  let isTaken = false;
  const lines = (columns: number) => {
    if (text === "" || isTaken) return [];
    const shown = sanitise(text.replaceAll("\r\n", "\n")).replaceAll("\t", "    ").trimEnd();
    return shown.split("\n").flatMap((line) => wrapStyled(line, columns));
  };
  return {
    kind: "answer",
    add(more) {
      text += more;
      changed();
    },
    end() {
      isEnded = true;
      changed();
    },
    takeSettled(columns) {
      const settled = isEnded ? lines(columns) : [];
      isTaken ||= isEnded;
      return settled;
    },
    render: lines,
    isDone: () => isTaken,
  };
}
