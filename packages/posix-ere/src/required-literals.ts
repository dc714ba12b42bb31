import { foldsIntoAscii, upperCase } from "./case-folding.ts";
import { members } from "./character-set.ts";
import type { Tree } from "./syntax-tree.ts";

/** Texts of which every line that matches holds at least one. */
export interface RequiredLiterals {
  /** With `ignoreCase`, in upper case. */
  readonly texts: readonly string[];
  /** Whether a line that holds one of them matches. */
  readonly areWhole: boolean;
}

/** What is known of the strings that a tree matches. */
interface Knowledge {
  /** All of them, if they are few. */
  readonly exact: readonly string[] | undefined;
  /** Sets of texts; each of the strings holds a text of each set. The most promising first. */
  readonly required: readonly (readonly string[])[];
}

const nothing: Knowledge = { exact: undefined, required: [] };

/** Which of several sets is the rarest shows only in what is searched; more than these need not be tried. */
const maxSets = 3;

/** How many texts are looked for at once: with more, a search passes over fewer bytes, and the automaton is as quick. */
const maxTexts = 32;

/** How many characters a set may have to be written out: of more, a text without the set finds less to look at. */
const maxMembers = 4;

/** How long a text like that of `(ab){1000}` may get, in characters: a search gains nothing from more. */
const maxLength = 256;

/** The texts that may be looked for, the most promising first. `tree` has no groups. */
export function requiredLiterals(tree: Tree, ignoreCase: boolean): RequiredLiterals[] {
  const { exact, required } = inspect(tree, ignoreCase);
  const areWhole = exact !== undefined && !asserts(tree);
  // No line has a newline in it, so a search for one would find what is no match.
  const usable = required.filter((texts) => texts.every((text) => text !== "" && !text.includes("\n")));
  return usable.map((texts) => ({ texts, areWhole }));
}

function inspect(tree: Tree, ignoreCase: boolean): Knowledge {
  switch (tree.kind) {
    case "empty":
    case "assertion":
      return known([""]);
    case "set": {
      const characters = members(tree.set, maxMembers);
      if (characters === undefined || (ignoreCase && characters.some(isFoldedInto))) return nothing;
      return known(characters.map((character) => String.fromCodePoint(character)));
    }
    case "sequence":
      return inspectSequence(tree.items, ignoreCase);
    case "repeat":
      return inspectRepeat(inspect(tree.item, ignoreCase), tree.min, tree.max);
    case "choice":
      return inspectChoice(tree.items.map((item) => inspect(item, ignoreCase)));
    case "group":
    case "back-reference":
      return nothing;
    default:
      return tree satisfies never;
  }
}

function known(texts: readonly string[]): Knowledge {
  return { exact: texts, required: [texts] };
}

function inspectRepeat({ exact, required }: Knowledge, min: number, max: number): Knowledge {
  if (min === 0) return exact && max === 1 ? known(unique([...exact, ""])) : nothing;
  const [text, ...others] = exact ?? [];
  if (text === undefined || others.length > 0) return { exact: undefined, required };
  const rounds = Math.min(min, Math.ceil(maxLength / Math.max(1, text.length)));
  const repeated = [text.repeat(rounds)];
  return max === rounds ? known(repeated) : { exact: undefined, required: [repeated] };
}

function inspectChoice(items: readonly Knowledge[]): Knowledge {
  const exact = unique(items.flatMap((item) => item.exact ?? []));
  if (items.every((item) => item.exact) && exact.length <= maxTexts) return known(exact);
  const required = unique(items.flatMap((item) => item.required[0] ?? []));
  const isKnown = items.every((item) => item.required.length > 0) && required.length <= maxTexts;
  return isKnown ? { exact: undefined, required: [required] } : nothing;
}

function inspectSequence(items: readonly Tree[], ignoreCase: boolean): Knowledge {
  let isExact = true;
  let current: readonly string[] = [""];
  const required: (readonly string[])[] = [];
  for (const item of items) {
    const inner = inspect(item, ignoreCase);
    if (inner.exact && inner.exact.length * current.length <= maxTexts) {
      current = inner.exact.flatMap((end) => current.map((start) => start + end));
      continue;
    }
    isExact = false;
    required.push(current);
    if (!inner.exact) required.push(...inner.required);
    current = inner.exact ?? [""];
  }
  if (isExact) return known(current);
  return { exact: undefined, required: promising([...required, current]) };
}

/** The longer the shortest text, the more bytes a search passes over at once; and the fewer texts the better. */
function promising(sets: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return sets
    .filter((texts) => shortest(texts) > 0)
    .sort((a, b) => shortest(b) - shortest(a) || a.length - b.length)
    .slice(0, maxSets);
}

function shortest(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => text.length));
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function asserts(tree: Tree): boolean {
  if (tree.kind === "assertion") return true;
  if (tree.kind === "repeat") return asserts(tree.item);
  return (tree.kind === "sequence" || tree.kind === "choice") && tree.items.some(asserts);
}

/** Whether, when case does not matter, more bytes stand for a character than those of an ASCII letter in both cases. */
function isFoldedInto(codePoint: number): boolean {
  return codePoint > 0x7f || foldsIntoAscii.some((other) => upperCase(other) === codePoint);
}
