import { expect, test } from "vitest";
import { letterDialog } from "../src/tui/components/letter-dialog.ts";

const alphabet = "abcdefghijklmnopqrstuvwxyz";

/** What a key answers, by the bytes that a terminal sends for it. */
function answersTo(typed: string, letters: string): (string | undefined)[] {
  const answers: (string | undefined)[] = [];
  letterDialog(
    () => ({ choices: "", letters }),
    {},
    (answer) => answers.push(answer),
  ).key(typed, 0);
  return answers;
}

/** Shift and a letter: as plain text, in two forms of the Kitty protocol, and as xterm's modifyOtherKeys reports it. */
const capitals = [...alphabet].flatMap((letter) => [
  letter.toUpperCase(),
  `\u001b[${letter.charCodeAt(0)};2u`,
  `\u001b[${letter.charCodeAt(0)}:${letter.toUpperCase().charCodeAt(0)};2u`,
  `\u001b[27;2;${letter.toUpperCase().charCodeAt(0)}~`,
]);

test.each(["ysrnev", "ysr", "nev", "yn", "ke", alphabet])("only a small letter answers: %s", (letters) => {
  for (const capital of capitals) expect([capital, answersTo(capital, letters)]).toEqual([capital, []]);
  for (const letter of alphabet)
    expect([letter, answersTo(letter, letters)]).toEqual([letter, letters.includes(letter) ? [letter] : []]);
});
