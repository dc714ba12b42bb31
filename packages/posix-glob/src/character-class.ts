/**
 * The twelve classes of POSIX, as glibc's C.UTF-8 locale fills them.
 *
 * Its habits: digits of other scripts are letters, the three spaces that do not break a line are punctuation, and a
 * titlecase letter is upper case.
 */
const classes: Readonly<Record<string, RegExp>> = {
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

/** The test behind `[:name:]`, or nothing when there is no class of that name. */
export function characterClass(name: string): ((code: number) => boolean) | undefined {
  const members = Object.hasOwn(classes, name) ? classes[name] : undefined;
  return members && ((code) => members.test(String.fromCodePoint(code)));
}
