import { expect, test } from "vitest";
import { type CharacterClass, isCharacterClass, isInClass, isWordCharacter } from "../src/classes.ts";

const names = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit".split(" ") as CharacterClass[];

/** The classes that contain a character. */
function classesOf(character: string): string {
  return names.filter((name) => isInClass(name, character.codePointAt(0) ?? 0)).join(" ");
}

test("has exactly the twelve names of POSIX", () => {
  expect(names.filter(isCharacterClass)).toEqual(names);
  expect(["word", "ascii", "Alpha", "", "toString", "__proto__"].filter(isCharacterClass)).toEqual([]);
});

/** C's own classes, written out without Unicode tables. */
const asciiClasses: Readonly<Record<CharacterClass, (code: number) => boolean>> = {
  upper: (code) => code >= 65 && code <= 90,
  lower: (code) => code >= 97 && code <= 122,
  digit: (code) => code >= 48 && code <= 57,
  alpha: (code) => asciiClasses.upper(code) || asciiClasses.lower(code),
  alnum: (code) => asciiClasses.alpha(code) || asciiClasses.digit(code),
  blank: (code) => code === 9 || code === 32,
  space: (code) => code === 32 || (code >= 9 && code <= 13),
  cntrl: (code) => code < 32 || code === 127,
  print: (code) => code >= 32 && code < 127,
  graph: (code) => code > 32 && code < 127,
  punct: (code) => asciiClasses.graph(code) && !asciiClasses.alnum(code),
  xdigit: (code) => asciiClasses.digit(code) || "ABCDEFabcdef".includes(String.fromCharCode(code)),
};

test.each(names)("%s agrees with C for ASCII", (name) => {
  const codes = Array.from({ length: 128 }, (_, code) => code);
  expect(codes.filter((code) => isInClass(name, code))).toEqual(codes.filter(asciiClasses[name]));
});

test.each([
  ["é", "alnum alpha graph lower print"],
  ["É", "alnum alpha graph print upper"],
  ["ß", "alnum alpha graph lower print"],
  ["٣", "alnum alpha graph print"],
  ["ª", "alnum alpha graph lower print"],
  ["中", "alnum alpha graph print"],
  ["ǅ", "alnum alpha graph lower print upper"],
  ["ᾈ", "alnum alpha graph print upper"],
  ["\u00a0", "graph print punct"],
  ["\u2007", "graph print punct"],
  ["\u3000", "blank print space"],
  ["\u2028", "cntrl space"],
  ["\u0085", "cntrl"],
  ["€", "graph print punct"],
  ["😀", "graph print punct"],
  ["\u0378", ""],
  ["\ue000", "graph print punct"],
])("%j is in: %s", (character, expected) => {
  expect(classesOf(character)).toBe(expected);
});

test("words consist of letters, digits of any script and _", () => {
  expect([..."aé9_٣中"].every((one) => isWordCharacter(one.codePointAt(0) ?? 0))).toBe(true);
  expect([..." -.€"].some((one) => isWordCharacter(one.codePointAt(0) ?? 0))).toBe(false);
});
