/**
 * Returns the name of the tool that a server gives as the reason for rejecting a request; `undefined` if it names none.
 *
 * Servers name the tool by its place in the request (`tools.3.custom.input_schema`, `function_declarations[3].parameters`) or by its
 * quoted name (`Invalid schema for function 'weather'`). Arguments that a model wrote are no reason to blame the schema, and the messages
 * about them do not quote the name.
 *
 * @param words the server's message.
 * @param names the tools of the request, in its order.
 */
export function rejectedTool(words: string, names: readonly string[]): string | undefined {
  const [, place] = placePattern.exec(words) ?? [];
  if (place !== undefined) return names[Number(place)];
  return names.find((name) => [`'${name}'`, `"${name}"`, `\`${name}\``].some((quoted) => isBlamed(words, quoted)));
}

/** Google has one list of declarations in the first of its tools. */
const placePattern =
  /(?:\bfunction_?declarations(?:\[|\.)|\btools(?:\[|\.)(?!\d+\]?\.function_?declarations\b))(\d{1,4})\b/i;

function isBlamed(words: string, quoted: string): boolean {
  const at = words.indexOf(quoted);
  return at >= 0 && /\b(?:function|tool)s?[\s:(]*$/i.test(words.slice(0, at));
}
