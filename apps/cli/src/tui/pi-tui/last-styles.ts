// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
const leading = /^(?:\u001b\[[\d;]*m)+/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
const sequence = /\u001b\[([\d;]*)m/g;

/** The parameters that set the same thing: of two such sequences only the last counts. */
const kinds = [
  /^(?:[39][0-7]|3[89].*)$/,
  /^(?:4[0-79]|48.*|10[0-7])$/,
  /^(?:1|2|22)$/,
  /^2?3$/,
  /^2?4$/,
  /^2?7$/,
  /^2?9$/,
];

/** A row without the styles at its beginning that others there replace: a row of a long line begins with all that came before. */
export function withLastStyles(row: string): string {
  const [all = ""] = leading.exec(row) ?? [];
  const last = new Map<string, string>();
  for (const [whole, parameters = ""] of all.matchAll(sequence)) {
    if (/^0?$/.test(parameters)) last.clear();
    const kind = kinds.findIndex((each) => each.test(parameters));
    const key = kind < 0 ? parameters : `kind ${kind}`;
    // In the order of the sequences that remain.
    last.delete(key);
    last.set(key, whole);
  }
  return [...last.values()].join("") + row.slice(all.length);
}
