/** The longest name: a tool's name has 64 characters, most of them for the tool itself. */
const maxLength = 20;

const pattern = /^[a-z][a-z0-9-]*$/;

/**
 * Says what is wrong with a server's name; `undefined` if nothing is. Two dashes, or one at the end, would become the `__` that ends
 * the server's part of a tool's name: a rule `mcp__x__*` would then also be one for the server `x--y`.
 */
export function serverNameProblem(name: string): string | undefined {
  const isShort = name.length <= maxLength;
  if (isShort && pattern.test(name) && !name.includes("--") && !name.endsWith("-")) return undefined;
  return `Expected a server name of at most ${maxLength} letters (a to z), digits and single dashes that begins with a letter and does not end in a dash, got ${JSON.stringify(name)}.`;
}

/** The beginning of the names of a server's tools. */
export function toolPrefix(server: string): string {
  return `mcp__${server.replaceAll("-", "_")}__`;
}

/**
 * Makes a server's name of one that another program allows: in lower case, with dashes for other characters, cut at the longest length; with `mcp-` in
 * front if it does not begin with a letter. `undefined` if it has neither letters nor digits.
 */
export function nearServerName(given: string): string | undefined {
  const plain = given
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "");
  if (plain === "") return undefined;
  const whole = /^[a-z]/.test(plain) ? plain : `mcp-${plain}`;
  return whole.slice(0, maxLength).replace(/-$/, "");
}
