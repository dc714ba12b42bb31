/** The names that may stand in `[:name:]`. */
export type CharacterClass = keyof typeof members;

/**
 * The classes of glibc's UTF-8 locales, by the rules its tables are made with (`localedata/unicode-gen`).
 *
 * Asked of Unicode itself one character at a time instead of from tables: a search meets few different characters, and
 * tables of a thousand ranges would be read at every start.
 */
const members = {
  alpha: isAlpha,
  alnum: (codePoint: number) => isDigit(codePoint) || isAlpha(codePoint),
  blank: (codePoint: number) => codePoint === 0x09 || isSeparator(codePoint, /^\p{Zs}$/u),
  cntrl: (codePoint: number) => is(/^[\p{Cc}\p{Zl}\p{Zp}]$/u, codePoint),
  digit: isDigit,
  graph: isGraph,
  lower: isLower,
  print: (codePoint: number) => is(/^[^\p{Cn}\p{Cc}\p{Cs}\p{Zl}\p{Zp}]$/u, codePoint),
  punct: (codePoint: number) => isGraph(codePoint) && !isAlpha(codePoint) && !isDigit(codePoint),
  space: isSpace,
  upper: isUpper,
  xdigit: (codePoint: number) => is(/^[0-9A-Fa-f]$/, codePoint),
};

export function isCharacterClass(name: string): name is CharacterClass {
  return Object.hasOwn(members, name);
}

export function isInClass(name: CharacterClass, codePoint: number): boolean {
  return members[name](codePoint);
}

/** Letters, digits and `_`: what `\w` matches and `\b` looks at. */
export function isWordCharacter(codePoint: number): boolean {
  return codePoint === 0x5f || members.alnum(codePoint);
}

function is(pattern: RegExp, codePoint: number): boolean {
  return pattern.test(String.fromCodePoint(codePoint));
}

function isDigit(codePoint: number): boolean {
  return codePoint >= 0x30 && codePoint <= 0x39;
}

/** C allows ten digits only, so glibc counts those of other scripts as letters. */
function isAlpha(codePoint: number): boolean {
  return is(/^[\p{Alphabetic}\p{Nd}]$/u, codePoint) && !isDigit(codePoint);
}

function isSpace(codePoint: number): boolean {
  return (codePoint >= 0x09 && codePoint <= 0x0d) || isSeparator(codePoint, /^\p{Z}$/u);
}

/** A space that forbids a line break there is no space to glibc. */
function isSeparator(codePoint: number, category: RegExp): boolean {
  return is(category, codePoint) && !is(/^[\u00a0\u2007\u202f]$/, codePoint);
}

function isGraph(codePoint: number): boolean {
  return is(/^[^\p{Cn}\p{Cc}\p{Cs}]$/u, codePoint) && !isSpace(codePoint);
}

/**
 * A letter with a counterpart in the other case belongs here even where Unicode calls it neither (title case); the Greek ones of
 * those have none, only two letters that stand for them.
 */
function isLower(codePoint: number): boolean {
  const letter = String.fromCodePoint(codePoint);
  const isGreekTitle = codePoint >= 0x1f00 && /^\p{Lt}$/u.test(letter);
  return (
    (/^\p{Changes_When_Uppercased}$/u.test(letter) && !isGreekTitle) ||
    (/^\p{Lowercase}$/u.test(letter) && isAlpha(codePoint))
  );
}

function isUpper(codePoint: number): boolean {
  const letter = String.fromCodePoint(codePoint);
  return /^\p{Changes_When_Lowercased}$/u.test(letter) || (/^\p{Uppercase}$/u.test(letter) && isAlpha(codePoint));
}
