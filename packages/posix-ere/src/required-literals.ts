import { foldsIntoAscii, upperCase } from "./case-folding.ts";
import { members } from "./character-set.ts";
import type { Tree } from "./syntax-tree.ts";

/** Texts of which every matching line contains at least one. */
export interface RequiredLiterals {
  /** Upper case with `ignoreCase`. */
  readonly texts: readonly string[];
  /** Whether every line that contains one matches. */
  readonly areWhole: boolean;
}

/** What is known about the strings a tree matches. */
interface Knowledge {
  /** All of them, if there are few. */
  readonly exact: readonly string[] | undefined;
  /** Sets of texts; each string contains a text of every set. Most selective first. */
  readonly required: readonly (readonly string[])[];
}

const nothing: Knowledge = { exact: undefined, required: [] };

/** How many sets are tried; which one is rarest only the searched data shows. */
const maxSets = 3;

/** How many texts are searched for at once: with more, too few bytes are skipped and the automaton is as fast. */
const maxTexts = 32;

/** Largest set that is expanded into literals; beyond it the literal without the set is more selective. */
const maxMembers = 4;

/** Maximum length of a literal such as that of `(ab){1000}`, in characters: longer ones gain nothing. */
const maxLength = 256;

/** Returns the texts to search for, most selective first. `tree` must have no groups. */
export function requiredLiterals(tree: Tree, ignoreCase: boolean): RequiredLiterals[] {
  const { exact, required } = inspect(tree, ignoreCase);
  const areWhole = exact !== undefined && !asserts(tree);
  // Lines contain no newline, so a search for one would find a false match.
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

/** Sorts sets: a longer shortest text allows longer skips; with equal length fewer texts are better. */
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

/** Whether a character has, ignoring case, other spellings than an ASCII letter in both cases. */
function isFoldedInto(codePoint: number): boolean {
  return codePoint > 0x7f || foldsIntoAscii.some((other) => upperCase(other) === codePoint);
}
