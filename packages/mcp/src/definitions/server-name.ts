/** At most 20 characters: a tool's name has 64, most of them for the tool itself. */
const pattern = /^[a-z][a-z0-9-]{0,19}$/;

/**
 * Says what is wrong with a server's name; `undefined` if nothing is. Two dashes, or one at the end, would become the `__` that ends
 * the server's part of a tool's name: a rule `mcp__x__*` would then also be one for the server `x--y`.
 */
export function serverNameProblem(name: string): string | undefined {
  if (pattern.test(name) && !name.includes("--") && !name.endsWith("-")) return undefined;
  return `Expected a server name of a to z, 0 to 9 and single dashes between them, at most 20 characters, that begins with a letter, got ${JSON.stringify(name)}.`;
}

/** The beginning of the names of a server's tools. */
export function toolPrefix(server: string): string {
  return `mcp__${server.replaceAll("-", "_")}__`;
}
