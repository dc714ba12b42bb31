/** Lists names as alternatives: `a, b or c`. */
export function orList(names: readonly string[]): string {
  return names.join(", ").replace(/, ([^,]*)$/, " or $1");
}
