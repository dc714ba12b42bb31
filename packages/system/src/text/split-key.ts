import { stripVTControlCharacters } from "node:util";
import { hasInvisible, withoutInvisible } from "./invisible.ts";

/** Where a program may wrap a line. */
const lineBreaks = /\r?\n[ \t]*/g;
const lineBreak = "(?:\\r?\\n[ \\t]*)?";

/** All that most texts consist of. */
const plain = /^[\t\n\r -~]*$/;

/** A text as it is seen: without styles and invisible characters, which may stand inside a key. */
export function seenText(text: string): string {
  return plain.test(text) || !hasInvisible(text) ? text : withoutInvisible(stripVTControlCharacters(text)).text;
}

/** Finds keys that a program has wrapped: a key may continue on the next line, also behind an indentation. */
export function wrappedKeys(text: string): (key: string) => RegExp | undefined {
  const joined = text.includes("\n") ? text.replace(lineBreaks, "") : "";
  return (key) => (joined.includes(key) ? new RegExp([...key].map(escaped).join(lineBreak), "gu") : undefined);
}

function escaped(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/u, "\\$&");
}
