import { sanitise } from "../../render/sanitise.ts";
import { wrapBelowText } from "../pi-tui/text.ts";
import type { AnswerBlock } from "./answer-block.ts";

/**
 * A verbatim answer: the built-in interpreter repeats tool output, in which `# tests 1` is not a heading. It arrives at once,
 * so nothing is settled before its end.
 */
export function createPlainAnswerBlock(changed: () => void): AnswerBlock {
  let text = "";
  let isEnded = false;
  let isTaken = false;
  const lines = (columns: number) => {
    if (text === "" || isTaken) return [];
    const shown = sanitise(text.replaceAll("\r\n", "\n")).replaceAll("\t", "    ").trimEnd();
    return shown.split("\n").flatMap((line) => wrapBelowText(line, columns));
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
