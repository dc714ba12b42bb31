/** The names allowed in `[:name:]`. */
export type CharacterClass = keyof typeof classes;

/**
 * The twelve POSIX classes as in glibc's C.UTF-8 locale (by the rules of `localedata/unicode-gen`).
 *
 * glibc's peculiarities: digits of other scripts are letters; the three no-break spaces are punctuation; a title-case letter is
 * upper case, and lower case, too, if it has an upper-case counterpart.
 *
 * Characters are tested one at a time: a search meets few different
 * ones, and tables of a thousand ranges would slow down every start.
 */
const classes = {
  alnum: /[\p{Alphabetic}\p{Nd}]/u,
  alpha: /(?![0-9])[\p{Alphabetic}\p{Nd}]/u,
  blank: /(?![\u00a0\u2007\u202f])[\t\p{Zs}]/u,
  cntrl: /[\p{Cc}\u2028\u2029]/u,
  digit: /[0-9]/,
  graph: /[^\p{Cc}\p{Cn}\p{Cs}\p{Z}]|[\u00a0\u2007\u202f]/u,
  lower: /[\p{Lowercase}ǅǈǋǲ]/u,
  print: /[^\p{Cc}\p{Cn}\p{Cs}\u2028\u2029]/u,
  punct: /(?![\p{Alphabetic}\p{Nd}])(?:[^\p{Cc}\p{Cn}\p{Cs}\p{Z}]|[\u00a0\u2007\u202f])/u,
  space: /(?![\u00a0\u2007\u202f])[\t-\r\p{Z}]/u,
  upper: /[\p{Uppercase}\p{Lt}]/u,
  xdigit: /[0-9A-Fa-f]/,
};

/** Whether a name is one of the twelve classes. */
export function isCharacterClass(name: string): name is CharacterClass {
  return Object.hasOwn(classes, name);
}

/** Whether a character, given by its code point, belongs to a class. */
export function isInClass(name: CharacterClass, codePoint: number): boolean {
  return classes[name].test(String.fromCodePoint(codePoint));
}

/** Whether a character is a letter, a digit or `_`: what `\w` matches and `\b` considers. */
export function isWordCharacter(codePoint: number): boolean {
  return codePoint === 0x5f || isInClass("alnum", codePoint);
}
