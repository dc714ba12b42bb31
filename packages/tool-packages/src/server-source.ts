import type { InstalledPackage } from "./install-record.ts";

/** The beginning of the source of a package that was made for an MCP server: no other source begins with it. */
const prefix = "mcp:";

/** The source in the record of an MCP server's package. */
export function serverSource(server: string): string {
  return `${prefix}${server}`;
}

/** The name of the MCP server that a package was made for; `undefined` for other packages. */
export function serverOf({ source }: Pick<InstalledPackage, "source">): string | undefined {
  return source.startsWith(prefix) ? source.slice(prefix.length) : undefined;
}
