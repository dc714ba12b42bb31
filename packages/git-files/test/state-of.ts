import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Every file, link and its bits and content; not git's own. */
export function stateOf(directory: string, prefix = ""): Record<string, string> {
  const found: Record<string, string> = {};
  const bytes = (path: string) => Buffer.from(path, "latin1");
  for (const name of readdirSync(bytes(join(directory, prefix)), "latin1").sort()) {
    if (name === ".git") continue;
    const path = bytes(join(directory, prefix, name));
    const stats = lstatSync(path);
    const bits = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) found[prefix + name] = `-> ${readlinkSync(path)}`;
    else if (stats.isDirectory()) Object.assign(found, stateOf(directory, `${prefix}${name}/`));
    else found[prefix + name] = `${bits} ${readFileSync(path, "latin1")}`;
  }
  return found;
}
