import { onlyMember } from "./character-set.ts";
import type { Tree } from "./syntax-tree.ts";

/** A text without which no line matches. */
export interface RequiredLiteral {
  readonly text: string;
  /** Whether a line that holds it matches. */
  readonly isWhole: boolean;
}

/** What is known of the strings that a tree matches. */
interface Knowledge {
  /** The only one, if there is only one. */
  readonly exact: string | undefined;
  /** The longest text known to be in all of them. */
  readonly required: string;
}

const nothing: Knowledge = { exact: undefined, required: "" };

/** How long the result of a repeat like `(ab){1000}` may get, in characters: a search gains nothing from more. */
const maxLength = 256;

/** The longest text that every match of `tree` must hold; undefined if there is none. `tree` has no groups. */
export function requiredLiteral(tree: Tree, ignoreCase: boolean): RequiredLiteral | undefined {
  const { exact, required } = inspect(tree, ignoreCase);
  // No line has a newline in it, so a search for one would find what is no match.
  if (required === "" || required.includes("\n")) return undefined;
  return { text: required, isWhole: exact === required && !asserts(tree) };
}

function inspect(tree: Tree, ignoreCase: boolean): Knowledge {
  switch (tree.kind) {
    case "empty":
    case "assertion":
      return { exact: "", required: "" };
    case "set": {
      const character = onlyMember(tree.set);
      if (character === undefined || (ignoreCase && hasCase(character))) return nothing;
      const text = String.fromCodePoint(character);
      return { exact: text, required: text };
    }
    case "sequence":
      return inspectSequence(tree.items, ignoreCase);
    case "repeat": {
      const { exact, required } = inspect(tree.item, ignoreCase);
      if (tree.min === 0) return nothing;
      const rounds = exact === undefined ? 0 : Math.min(tree.min, Math.ceil(maxLength / Math.max(1, exact.length)));
      const repeated = exact?.repeat(rounds) ?? required;
      return { exact: tree.max === rounds ? repeated : undefined, required: repeated };
    }
    case "choice": {
      const [first, ...others] = tree.items.map((item) => inspect(item, ignoreCase));
      const isSame = others.every(({ exact }) => exact !== undefined && exact === first?.exact);
      return isSame && first ? first : nothing;
    }
    case "group":
    case "back-reference":
      return nothing;
    default:
      return tree satisfies never;
  }
}

function inspectSequence(items: readonly Tree[], ignoreCase: boolean): Knowledge {
  let isExact = true;
  let required = "";
  let current = "";
  for (const item of items) {
    const known = inspect(item, ignoreCase);
    if (known.exact === undefined) {
      isExact = false;
      current = "";
      if (known.required.length > required.length) required = known.required;
    } else {
      current += known.exact;
      if (current.length > required.length) required = current;
    }
  }
  return { exact: isExact ? current : undefined, required };
}

function asserts(tree: Tree): boolean {
  if (tree.kind === "assertion") return true;
  if (tree.kind === "repeat") return asserts(tree.item);
  return (tree.kind === "sequence" || tree.kind === "choice") && tree.items.some(asserts);
}

function hasCase(codePoint: number): boolean {
  const text = String.fromCodePoint(codePoint);
  return text.toLowerCase() !== text || text.toUpperCase() !== text;
}
