/** Which of a server's tools are used, by their real names; patterns with `*` and `?`. */
export interface NameFilter {
  /** Empty: all. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Whether a tool is used. */
export function isWanted(name: string, { include, exclude }: NameFilter): boolean {
  const matches = (pattern: string) => matchesPattern(name, pattern);
  return (include.length === 0 || include.some(matches)) && !exclude.some(matches);
}

/** Takes time proportional to the product of both lengths, whatever the pattern. */
function matchesPattern(text: string, pattern: string): boolean {
  let at = 0;
  let star: { readonly pattern: number; text: number } | undefined;
  for (let index = 0; index < text.length; ) {
    if (pattern[at] === "*") star = { pattern: at++, text: index };
    else if (pattern[at] === "?" || pattern[at] === text[index]) {
      at++;
      index++;
    } else if (star) {
      at = star.pattern + 1;
      index = ++star.text;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
