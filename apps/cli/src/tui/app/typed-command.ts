/** A message as the user typed it: one that tells of a command was that command behind `!`. */
export function asTyped(text: string): string {
  const [, args] = /^I ran a command myself, by the bash tool:\n(.*)\n/.exec(text) ?? [];
  if (args === undefined) return text;
  try {
    const { command } = JSON.parse(args) as { command?: unknown };
    return typeof command === "string" ? `!${command}` : text;
  } catch {
    return text;
  }
}
