// Text in answers: its encoding, what is similar, and how much of each part fits.

import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { nearestWord, pathAsSpelled } from "@ikigai/system";
import { ToolFailure } from "@ikigai/tool-sdk";

/**
 * Encodes an argument as UTF-8.
 *
 * @throws ToolFailure `INVALID_ARG` for a lone surrogate, which JSON can express and UTF-8 cannot.
 */
export function encodeText(name: string, text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  throw new ToolFailure("INVALID_ARG", `${name} is not valid Unicode: it contains half of a surrogate pair`);
}

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

/** How a room was shared out. */
export interface Shares {
  /** How many items of each group fit, in the groups' order. */
  readonly counts: readonly number[];
  /** Whether all items fit. */
  readonly isAll: boolean;
}

/**
 * Shares out a room among groups: in each round every group gets its next item, if that still fits. So no group, however large, hides
 * another.
 *
 * @param sizes how many items each group has.
 * @param cost how much room an item takes.
 */
export function shareOut(
  sizes: readonly number[],
  room: number,
  cost: (group: number, item: number) => number,
): Shares {
  const counts = sizes.map(() => 0);
  let left = room;
  let open = sizes.flatMap((size, group) => (size > 0 ? [group] : []));
  let isAll = true;
  while (open.length > 0) {
    const next: number[] = [];
    for (const group of open) {
      const item = counts[group] ?? 0;
      const taken = cost(group, item);
      if (taken > left) {
        isAll = false;
        continue;
      }
      left -= taken;
      counts[group] = item + 1;
      if (item + 1 < (sizes[group] ?? 0)) next.push(group);
    }
    open = next;
  }
  return { counts, isAll };
}

/** How many directories are named. */
const maxNamed = 3;

/** Says which directories have the most of something: "most in src (120), docs (40)". */
export function describeMost(counts: ReadonlyMap<string, number>): string {
  const most = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, maxNamed);
  return `most in ${most.map(([directory, count]) => `${directory} (${count})`).join(", ")}`;
}

/** The directory of a path below `base`, at most two names deep, so that many files make few directories. */
export function districtOf(path: string, base: string): string {
  const start = base === "" || base.endsWith("/") || !path.startsWith(`${base}/`) ? base : `${base}/`;
  const inside = path.startsWith(start) ? path.slice(start.length) : path;
  const names = inside.split("/").slice(0, -1).slice(0, 2);
  return names.length === 0
    ? base.replace(/\/$/, "") || "."
    : `${path.startsWith(start) ? start : ""}${names.join("/")}`;
}
