import { textStart } from "@ikigai/protocol";
import { sanitise } from "../render/sanitise.ts";

/** Texts that were pasted into a line, and the words that stand for them there. */
export interface Pastes {
  /** What is put into the line for a text. */
  take(text: string): string;
  /** The line with the texts in it. Forgets them. */
  expand(line: string): string;
}

/** Longer ones would fill the line, in characters. */
const maxInlineLength = 200;

/** More is no message, in characters. */
const maxLength = 1_048_576;

/** A short text of one line goes into the line as it is; a longer one, or one with controls, is kept aside. */
export function createPastes(): Pastes {
  const texts = new Map<string, string>();
  return {
    take(pasted) {
      // Terminals send a carriage return for the end of a line.
      const text = pasted.replace(/\r\n?/g, "\n");
      if (text.length <= maxInlineLength && !/[\n\t]/.test(text) && sanitise(text) === text) return text;
      const kept = textStart(text, maxLength);
      const lines = kept.split("\n").length;
      const cut = text.length > maxLength ? `, cut at ${maxLength} characters` : "";
      const word = `[pasted ${texts.size + 1}: ${lines} line${lines === 1 ? "" : "s"}, ${kept.length} characters${cut}]`;
      texts.set(word, kept);
      return word;
    },
    expand(line) {
      let whole = line;
      for (const [word, text] of texts) whole = whole.replace(word, () => text);
      texts.clear();
      return whole;
    },
  };
}
