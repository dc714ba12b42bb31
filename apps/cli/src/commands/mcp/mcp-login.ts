// `ikigai mcp login` and `ikigai mcp logout`: OAuth with a server's authorization server, in the user's browser or by an address that the user
// pastes.

import { createInterface } from "node:readline";
import { AddedServer, logIn, logOut, readServerEntry, serverNameProblem } from "@ikigai/mcp";
import { sanitiseLine } from "@ikigai/screen";
import { isMacOs, startProgram } from "@ikigai/system";
import { Refusal } from "@ikigai/tool-packages";
import { mcpCommands } from "../../args/command-groups.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { canAsk, confirm } from "../../host/terminal/ask-person.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { type Command, type CommandContext, withRefusals } from "../command.ts";
import { serverContext } from "./show-server.ts";

const syntax = mcpCommands["mcp login"];

/** Logs in to an MCP server at its authorization server. Prints the URL, and opens a browser if there is a terminal and a screen. */
export const mcpLogin: Command = {
  run(args, context) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [name = "", url] = readOperands(operands, syntax);
    const isHere = flags.has("here");
    const clientId = values["client-id"]?.at(-1);
    const callbackPort = readPort(values["callback-port"]?.at(-1));
    return withRefusals(async () => {
      refuseUnusable(name, url, context);
      const { issuer, next } = await logIn(
        { name, url, isHere, clientId, callbackPort },
        {
          ...serverContext(context),
          async open(page, paste) {
            await confirmCode(page, flags.has("yes"));
            return show(page.open, context, paste);
          },
        },
      );
      printOut(`Logged in to ${name}: ${sanitiseLine(issuer)}\n`);
      if (next !== undefined) printOut(`To add the server: ${next}\n`);
      return exitCodes.done;
    });
  },
};

/** @throws UsageError if the name or the URL cannot be used. */
function refuseUnusable(name: string, url: string | undefined, { places }: CommandContext): void {
  const problem = serverNameProblem(name);
  if (problem !== undefined) throw new UsageError(problem);
  if (url === undefined) return;
  if (AddedServer.all(places).some((server) => server.name === name))
    throw new UsageError(`${name} has been added with its URL: ikigai mcp login ${name}`);
  const entry = readServerEntry({ type: "http", url });
  if ("problem" in entry) throw new UsageError(entry.problem);
}

/** The page of a login. */
interface LoginPage {
  readonly open: string;
  readonly codeGoesTo?: string | undefined;
}

/** Asks whether a code may go to another server than the one where the user logs in, which could be a trap. */
async function confirmCode({ open, codeGoesTo }: LoginPage, isAllowed: boolean): Promise<void> {
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
  run(args, context) {
    const { operands } = readOptions(args, mcpCommands["mcp logout"].options);
    const [name = ""] = readOperands(operands, mcpCommands["mcp logout"]);
    const problem = serverNameProblem(name);
    if (problem !== undefined) throw new UsageError(problem);
    return withRefusals(async () => {
      const { isRevoked } = await logOut(name, serverContext(context));
      printOut(`Logged out of ${name}${isRevoked ? "; its tokens are revoked" : ""}\n`);
      return exitCodes.done;
    });
  },
};

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
