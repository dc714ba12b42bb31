import { hasBraces, type WordInText } from "./read-word.ts";

/** Words that begin or end a compound command in shells that know them. Quoted, they would be commands. */
const reservedWords = new Set(
  "! { } [[ ]] if then else elif fi for while until do done case esac in select function time coproc".split(" "),
);

/** Whether a word in command position is a command's name, to every shell. */
export function canBeCommand(word: WordInText): boolean {
  if (word.isPattern || word.isTilde || word.text.includes("=")) return false;
  return !reservedWords.has(word.text) && !hasBraces(word);
}
