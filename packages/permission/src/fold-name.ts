const folded = new Map<string, string>();

/**
 * Folds a text like a file system that ignores case, width and invisible characters. Replaces only what becomes ASCII, since
 * protected names are ASCII. Takes linear time; the result is at most a few times as long.
 */
export function foldName(text: string): string {
  return text.replace(/\P{ASCII}/gu, foldCharacter).toLowerCase();
}

function foldCharacter(character: string): string {
  const known = folded.get(character);
  if (known !== undefined) return known;
  const plain = character.normalize("NFKC");
  const result = /\p{Cf}/u.test(character) ? "" : /^\p{ASCII}+$/u.test(plain) ? plain : character;
  folded.set(character, result);
  return result;
}
