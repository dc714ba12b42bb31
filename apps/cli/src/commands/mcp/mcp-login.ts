import { createInterface } from "node:readline";
import {
  isStdio,
  type LoginUrl,
  loginServer,
  packageName,
  readServerEntry,
  type ServerEntry,
  serverNameProblem,
} from "@ikigai/mcp";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { isMacOs, shellWord, startProgram } from "@ikigai/system";
import { Refusal, ToolRoot } from "@ikigai/tool-packages";
import { mcpCommands } from "../../args/mcp-commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { canAsk, confirm } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { type Command, type CommandContext, withRefusals } from "../command.ts";
import { addedServers } from "./added-servers.ts";
import { type BridgeError, bridgeEvents, type InspectRequest, startBridge } from "./inspect-server.ts";

const syntax = mcpCommands["mcp login"];

/** Logs in to an MCP server at its authorization server. Prints the URL, and opens a browser if there is a terminal and a screen. */
export const mcpLogin: Command = {
  run(args, context) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [name = "", url] = readOperands(operands, syntax);
    const options = { clientId: values["client-id"]?.at(-1), callbackPort: readPort(values["callback-port"]?.at(-1)) };
    return withRefusals(() =>
      logIn(
        loginTarget({ name, url, isHere: flags.has("here") }, context),
        { ...options, isAllowed: flags.has("yes") },
        context,
      ),
    );
  },
};

interface Login {
  readonly clientId: string | undefined;
  readonly callbackPort: number | undefined;
  /** Whether the user has agreed that the code may go elsewhere. */
  readonly isAllowed: boolean;
}

/** The last line of the program that speaks MCP. */
type LoginEnd = { readonly issuer: string } | BridgeError;

async function logIn(target: LoginTarget, { isAllowed, ...options }: Login, context: CommandContext): Promise<number> {
  const { env, places } = context;
  const bridge = startBridge("login", { env, ...places }, (text) => printError(sanitise(text)));
  const { child } = bridge;
  child.stdin.write(`${JSON.stringify({ ...target.request, ...options })}\n`);
  let end: LoginEnd | undefined;
  let pasted: { close(): void } | undefined;
  try {
    for await (const event of bridgeEvents<LoginUrl | LoginEnd>(bridge)) {
      if ("open" in event) {
        await confirmCode(event, isAllowed);
        pasted = show(event.open, context, (text) => child.stdin.write(`${text}\n`));
      } else end = event;
    }
  } finally {
    pasted?.close();
    child.kill("SIGTERM");
  }
  if (!end || "error" in end) throw new Refusal(end?.error ?? "The program that speaks MCP failed.");
  printOut(`Logged in to ${target.request.name}: ${sanitiseLine(end.issuer)}\n`);
  if (target.next !== undefined) printOut(`To add the server: ${target.next}\n`);
  return exitCodes.done;
}

/** Asks whether a code may go to another server than the one where the user logs in, which could be a trap. */
async function confirmCode({ open, codeGoesTo }: LoginUrl, isAllowed: boolean): Promise<void> {
  if (codeGoesTo === undefined || isAllowed) return;
  const what = `The login page is at ${new URL(open).origin}, but ${sanitiseLine(codeGoesTo)} would get the authorization code.`;
  if (!canAsk()) throw new Refusal(`${what} To allow it: --yes`);
  if (!(await confirm(`${what} Some companies do this. Continue?`))) throw new Refusal("Not logged in.");
}

/** Shows the URL, and passes on what the user pastes. */
function show(url: string, { env, places }: CommandContext, paste: (text: string) => void): { close(): void } {
  printError(`Log in here:\n  ${sanitiseLine(url)}\n`);
  if (!canAsk()) return { close() {} };
  if (openBrowser(url, env, places.projectDir)) printError("Opening a browser.\n");
  printError("If the browser runs on another computer, paste the URL that it ends up at:\n");
  const lines = createInterface({ input: process.stdin, terminal: false });
  lines.on("line", paste);
  return {
    close() {
      lines.close();
      process.stdin.pause();
    },
  };
}

const maxPort = 65_535;

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port > 0 && port <= maxPort) return port;
  throw new UsageError(`Expected --callback-port to be a port, got ${JSON.stringify(text)}.`);
}

/** Removes the tokens of an MCP server, and asks its authorization server to revoke them. */
export const mcpLogout: Command = {
  run(args, { places, env }) {
    const { operands } = readOptions(args, mcpCommands["mcp logout"].options);
    const [name = ""] = readOperands(operands, mcpCommands["mcp logout"]);
    const problem = serverNameProblem(name);
    if (problem !== undefined) throw new UsageError(problem);
    return withRefusals(async () => {
      const dataDirs = ToolRoot.ofUser(places).map((root) => root.dataOf(packageName(name), places));
      const dataDir = dataDirs.find((path) => loginServer(path) !== undefined) ?? "";
      const url = loginServer(dataDir);
      if (url === undefined) throw new Refusal(`Not logged in to ${name}.`);
      const bridge = startBridge("logout", { env, ...places }, (text) => printError(sanitise(text)));
      const request = { name, entry: readUrl(url), packageDir: dataDir, dataDir, projectDir: places.projectDir };
      bridge.child.stdin.end(`${JSON.stringify(request)}\n`);
      for await (const event of bridgeEvents<{ readonly isRevoked: boolean } | BridgeError>(bridge)) {
        if ("error" in event) throw new Refusal(event.error);
        printOut(`Logged out of ${name}${event.isRevoked ? "; its tokens are revoked" : ""}\n`);
      }
      return exitCodes.done;
    });
  },
};

/** The server of a login, and what to do after it. */
interface LoginTarget {
  readonly request: InspectRequest;
  /** The command that adds the server, if it has not been added. */
  readonly next?: string;
}

/**
 * Finds the server of a login. A server that lists nothing without a login gets it before it is added, by its URL.
 *
 * @throws UsageError; Refusal if there is no such server.
 */
function loginTarget(
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
  const root = isHere ? ToolRoot.here(places) : ToolRoot.of(places, { isProject: false });
  const dataDir = root.dataOf(packageName(name), places);
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

/** Opens a web page in the user's browser; returns whether there is a screen for it. */
function openBrowser(url: string, env: NodeJS.ProcessEnv, projectDir: string): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = env;
  if (!isMacOs && !DISPLAY && !WAYLAND_DISPLAY) return false;
  // The program would read anything else as an option or a file.
  if (!/^https?:\/\//.test(url)) return false;
  const options = { env, projectDir, detached: true };
  const child = startProgram(isMacOs ? "open" : "xdg-open", [url], options, "ignore", "ignore", "ignore");
  // The user has the URL.
  child.on("error", () => {});
  child.unref();
  return true;
}
