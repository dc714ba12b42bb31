/**
 * Returns the name of the tool that a server gives as the reason for rejecting a request; `undefined` if it names none.
 *
 * Servers name the tool by its place in the request (`tools.3.custom.input_schema`, `function_declarations[3].parameters`) or by its
 * quoted name (`Invalid schema for function 'weather'`). Arguments that a model wrote are no reason to blame the schema, and the messages
 * about them do not quote the name. Nor is a field that every tool has (`tools.0.custom.eager_input_streaming`, `tools.0.strict`).
 *
 * @param words the server's message.
 * @param names the tools of the request, in its order.
 */
export function rejectedTool(words: string, names: readonly string[]): string | undefined {
  const [, place, field = "name"] = placePattern.exec(words) ?? [];
  if (place !== undefined) return ownFields.has(field) ? names[Number(place)] : undefined;
  return names.find((name) => [`'${name}'`, `"${name}"`, `\`${name}\``].some((quoted) => isBlamed(words, quoted)));
}

/** What a tool's author decides. */
const ownFields = new Set(["name", "description", "input_schema", "parameters", "parametersJsonSchema"]);

/** Google has one list of declarations in the first of its tools. */
const placePattern =
  /(?:\bfunction_?declarations(?:\[|\.)|\btools(?:\[|\.)(?!\d+\]?\.function_?declarations\b))(\d{1,4})\b\]?(?:\.(?:custom|function)\b)*(?:\.([a-z_]+))?/i;

function isBlamed(words: string, quoted: string): boolean {
  const at = words.indexOf(quoted);
  return at >= 0 && /\b(?:function|tool)s?[\s:(]*$/i.test(words.slice(0, at));
}
