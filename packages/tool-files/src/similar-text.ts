import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { nearestWord, pathAsSpelled } from "@ikigai/system";

/** How many names are compared letter by letter. */
const maxNames = 2_000;

/** Characters that models write as the first one of their row. */
const lookalikes = [
  ["'", /[‘’‚‛′´]/g],
  ['"', /[“”„‟″]/g],
  ["-", /[\u2010-\u2015\u2212]/g],
  [" ", /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g],
] as const;

/** Returns a text with its typographic quotes, dashes and spaces as those of ASCII; of the same length. */
export function foldLookalikes(text: string): string {
  return lookalikes.reduce((folded, [plain, others]) => folded.replace(others, plain), text);
}

/** Names the first character that differs between two texts of equal length: `’ U+2019, not '`. `undefined` if none does. */
export function describeDifference(there: string, wanted: string): string | undefined {
  for (let at = 0; at < there.length; at++) {
    if (there[at] !== wanted[at]) return `${nameCharacter(there[at])}, not ${nameCharacter(wanted[at])}`;
  }
  return undefined;
}

function nameCharacter(character = ""): string {
  if (character === " ") return "a space";
  if (/[!-~]/.test(character)) return character;
  const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return /\s/.test(character) ? code : `${character} ${code}`;
}

/** Suggests what a path that does not exist may have meant; `undefined` if nothing is similar. Never throws. */
export function describeNearest(path: string): string | undefined {
  try {
    const wanted = basename(path);
    const names = readdirSync(dirname(path));
    const folded = fold(wanted);
    const name = names.find((each) => fold(each) === folded) ?? nearestWord(wanted, names.slice(0, maxNames));
    if (name === undefined) return undefined;
    const form = describeForm(name, wanted);
    return `The nearest name there is '${name}'${form ? ` (${form})` : ""}.`;
  } catch {
    return undefined;
  }
}

/** Returns the path that exists under another spelling (`pathAsSpelled`), and a sentence that names it; else the path itself. Never throws. */
export function readSpelling(wanted: string): { readonly path: string; readonly hint: string | undefined } {
  const path = wanted === "" ? wanted : pathAsSpelled(wanted);
  if (path === wanted) return { path, hint: undefined };
  const form = describeForm(basename(path), basename(wanted));
  const hint = `This is '${basename(path)}'${form ? ` (${form})` : ""}: there is no '${basename(wanted)}'.`;
  return { path, hint };
}

/** Says how a name differs from another one that looks like it: the end of a sentence. `undefined` if it differs otherwise. */
function describeForm(name: string, wanted: string): string | undefined {
  const difference = foldLookalikes(name) === foldLookalikes(wanted) ? describeDifference(name, wanted) : undefined;
  if (difference !== undefined) return `with ${difference}`;
  return name.normalize() === wanted.normalize() ? "in another Unicode normalization form" : undefined;
}

function fold(name: string): string {
  return foldLookalikes(name).normalize("NFKC").toLowerCase();
}
