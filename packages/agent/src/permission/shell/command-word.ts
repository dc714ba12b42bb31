import { hasBraces, type WordInText } from "./read-word.ts";

/** Words that begin or end something else than a command, in a shell that knows them. Quoted they would be commands. */
const reservedWords = new Set(
  "! { } [[ ]] if then else elif fi for while until do done case esac in select function time coproc".split(" "),
);

/** Whether a word in the place of a command is the name of one, and the same to every shell. */
export function canBeCommand(word: WordInText): boolean {
  if (word.isPattern || word.isTilde || word.text.includes("=")) return false;
  return !reservedWords.has(word.text) && !hasBraces(word);
}
