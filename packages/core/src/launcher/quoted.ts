/** One word for a shell, on one line. */
export function quoted(text: string): string {
  return `'${text.replaceAll("\n", " ").replaceAll("'", `'\\''`)}'`;
}
