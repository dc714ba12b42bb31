import { isStdio, packageName, readServerEntry, type ServerEntry, serverNameProblem } from "@ikigai/mcp";
import { shellWord } from "@ikigai/system";
import { hereRoot, packageData, Refusal, toolRoot } from "@ikigai/tool-packages";
import { UsageError } from "../../args/usage-error.ts";
import type { CommandContext } from "../command.ts";
import { addedServers } from "./added-servers.ts";
import type { InspectRequest } from "./inspect-server.ts";

/** The server of a login, and what to do after it. */
export interface LoginTarget {
  readonly request: InspectRequest;
  /** The command that adds the server, if it has not been added. */
  readonly next?: string;
}

/**
 * Finds the server of a login. A server that lists nothing without a login gets it before it is added, by its URL.
 *
 * @throws UsageError; Refusal if there is no such server.
 */
export function loginTarget(
  { name, url, isHere }: { readonly name: string; readonly url: string | undefined; readonly isHere: boolean },
  { places }: CommandContext,
): LoginTarget {
  const problem = serverNameProblem(name);
  if (problem !== undefined) throw new UsageError(problem);
  const added = addedServers(places).find((one) => one.name === name);
  const { projectDir } = places;
  if (added) {
    if (url !== undefined) throw new UsageError(`${name} has been added with its URL: ikigai mcp login ${name}`);
    if (!added.pack) throw new Refusal(`The files of ${name} are missing or damaged. Remove it and add it again.`);
    const { entry } = added.pack.server;
    return { request: { name, projectDir, dataDir: added.dataDir, entry, packageDir: added.pack.path } };
  }
  if (url === undefined)
    throw new Refusal(
      `No MCP server ${JSON.stringify(name)}. To log in before you add it: ikigai mcp login ${name} URL`,
    );
  const root = isHere ? hereRoot(places) : toolRoot(places, { isProject: false });
  const dataDir = packageData(packageName(name), root, places);
  return {
    request: { name, projectDir, dataDir, entry: readUrl(url), packageDir: dataDir },
    next: `ikigai mcp add ${name} ${shellWord(url)}${isHere ? " --here" : ""}`,
  };
}

/** Reads the URL of a server on a command line. @throws UsageError. */
export function readUrl(url: string, headers: Readonly<Record<string, string>> = {}): ServerEntry {
  const entry = readServerEntry({ type: "http", url, headers });
  if ("problem" in entry) throw new UsageError(entry.problem);
  if (isStdio(entry)) throw new TypeError("An entry with a URL has no command.");
  return entry;
}
