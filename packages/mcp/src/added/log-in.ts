// Logs in to a server at its authorization server, and out.
import { shellWord } from "@ikigai/system";
import { Refusal, ToolRoot } from "@ikigai/tool-packages";
import type { LoginUrl } from "../bridge/auth/login.ts";
import { loginServer } from "../server/secrets-file.ts";
import { isStdio, readServerEntry, type ServerEntry } from "../server/server-entry.ts";
import { packageName } from "../server/server-file.ts";
import { AddedServer } from "./added-servers.ts";
import { type BridgeContext, type BridgeError, bridgeEvents, type InspectRequest, startBridge } from "./run-bridge.ts";

/** The server to log in to. One that lists nothing without a login gets it before it is added, by its URL. */
interface LoginTarget {
  readonly name: string;
  readonly url: string | undefined;
  /** Whether it will be added for this directory only. */
  readonly isHere: boolean;
  readonly clientId: string | undefined;
  readonly callbackPort: number | undefined;
}

interface LoginContext extends BridgeContext {
  /**
   * Shows the page where the user logs in.
   *
   * @param paste gets what the user pastes: the URL that the login has led to.
   * @returns ends the reading of what is pasted.
   */
  readonly open: (page: LoginUrl, paste: (text: string) => void) => Promise<{ close(): void }>;
}

/** The last line of the program that speaks MCP. */
type LoginEnd = { readonly issuer: string } | BridgeError;

/**
 * Logs in.
 *
 * @returns the authorization server, and the command that adds the server if it has not been added.
 * @throws Refusal if there is no such server, or it fails; what `open` throws.
 */
export async function logIn(
  { clientId, callbackPort, ...wanted }: LoginTarget,
  { open, ...context }: LoginContext,
): Promise<{ readonly issuer: string; readonly next: string | undefined }> {
  const { request, next } = loginTarget(wanted, context);
  const bridge = startBridge("login", context);
  const { child } = bridge;
  child.stdin.write(`${JSON.stringify({ ...request, clientId, callbackPort })}\n`);
  let end: LoginEnd | undefined;
  let pasted: { close(): void } | undefined;
  try {
    for await (const event of bridgeEvents<LoginUrl | LoginEnd>(bridge)) {
      if ("open" in event) pasted = await open(event, (text) => child.stdin.write(`${text}\n`));
      else end = event;
    }
  } finally {
    pasted?.close();
    child.kill("SIGTERM");
  }
  if (!end || "error" in end) throw new Refusal(end?.error ?? "The program that speaks MCP failed.");
  return { issuer: end.issuer, next };
}

function loginTarget(
  { name, url, isHere }: Pick<LoginTarget, "name" | "url" | "isHere">,
  { places }: BridgeContext,
): { readonly request: InspectRequest & { readonly projectDir: string }; readonly next: string | undefined } {
  const { projectDir } = places;
  const added = AddedServer.all(places).find((one) => one.name === name);
  if (added) {
    if (!added.pack) throw new Refusal(`The files of ${name} are missing or damaged. Remove it and add it again.`);
    const { entry } = added.pack.server;
    const request = { name, projectDir, dataDir: added.dataDir, entry, packageDir: added.pack.path };
    return { request, next: undefined };
  }
  if (url === undefined)
    throw new Refusal(
      `No MCP server ${JSON.stringify(name)}. To log in before you add it: ikigai mcp login ${name} URL`,
    );
  const root = isHere ? ToolRoot.here(places) : ToolRoot.of(places, { isProject: false });
  const dataDir = root.dataOf(packageName(name), places);
  return {
    request: { name, projectDir, dataDir, entry: entryOf(url), packageDir: dataDir },
    next: `ikigai mcp add ${name} ${shellWord(url)}${isHere ? " --here" : ""}`,
  };
}

function entryOf(url: string): ServerEntry {
  const entry = readServerEntry({ type: "http", url });
  if ("problem" in entry) throw new Refusal(entry.problem);
  if (isStdio(entry)) throw new TypeError("An entry with a URL has no command.");
  return entry;
}

/**
 * Removes the tokens of a server, and asks its authorization server to revoke them.
 *
 * @returns whether that did.
 * @throws Refusal if the user is not logged in, or it fails.
 */
export async function logOut(name: string, context: BridgeContext): Promise<{ readonly isRevoked: boolean }> {
  const { places } = context;
  const dataDirs = ToolRoot.ofUser(places).map((root) => root.dataOf(packageName(name), places));
  const dataDir = dataDirs.find((path) => loginServer(path) !== undefined) ?? "";
  const url = loginServer(dataDir);
  if (url === undefined) throw new Refusal(`Not logged in to ${name}.`);
  const bridge = startBridge("logout", context);
  const request = { name, entry: entryOf(url), packageDir: dataDir, dataDir, projectDir: places.projectDir };
  bridge.child.stdin.end(`${JSON.stringify(request)}\n`);
  let isRevoked = false;
  for await (const event of bridgeEvents<{ readonly isRevoked: boolean } | BridgeError>(bridge)) {
    if ("error" in event) throw new Refusal(event.error);
    isRevoked = event.isRevoked;
  }
  return { isRevoked };
}
