import { dangersIn } from "./danger.ts";
import type { ShellWord } from "./read-word.ts";
import { programName } from "./runs-arguments.ts";

/*
 * What no star of an allow rule covers: a `..`, and what makes a program run or write what its arguments name. A rule covers them if
 * it names them: `bash(find . -exec wc *)`.
 */

/** A path segment that may become `..`: shells let `.*` match it. */
const mayBeParent = /^\.(?:\.$|\.?[*?[])/;

/** Whether a command has something that is in none of a rule's words, and that a star does not cover. */
export function exceedsStars(pattern: string, words: readonly ShellWord[]): boolean {
  const named = pattern.split(/\s+/).map((one) => ({ text: one, isPattern: false }));
  if (countParents(words) > countParents(named)) return true;
  const [first, ...rest] = words;
  if (first === undefined) return false;
  const program = programName(first);
  // It may expand to any option.
  if (rest.some(({ text, isPattern }) => isPattern && text.startsWith("-") && !pattern.includes(text))) return true;
  const covered = new Set(dangersIn(program, named.slice(1)));
  const isCovered = (danger: string) => covered.has(danger) || (!danger.startsWith("-") && pattern.includes(danger));
  return !dangersIn(program, rest).every(isCovered);
}

/** How many segments of paths are, or may become, `..`. */
function countParents(words: readonly Pick<ShellWord, "text" | "isPattern">[]): number {
  const isParent = (segment: string, isPattern: boolean) =>
    segment === ".." || (isPattern && mayBeParent.test(segment));
  return words.reduce((sum, { text, isPattern }) => {
    const segments = text.replace(/^-\w(?=\.\.)/, "").split(/[/=:,"]/);
    return sum + segments.filter((segment) => isParent(segment, isPattern)).length;
  }, 0);
}

/** Whether the strings in a call's arguments have more `..` than a rule's pattern. Texts with blanks are no paths. */
export function hasMoreParents(pattern: string, value: unknown): boolean {
  const texts: string[] = [];
  JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === "string" && !/\s/.test(one)) texts.push(one);
    return one;
  });
  const asWords = (all: readonly string[]) => all.map((text) => ({ text, isPattern: false }));
  return countParents(asWords(texts)) > countParents(asWords([pattern]));
}
