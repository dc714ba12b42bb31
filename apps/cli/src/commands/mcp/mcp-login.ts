import { createInterface } from "node:readline";
import type { LoginUrl } from "@ikigai/mcp";
import { Refusal } from "@ikigai/tool-packages";
import { mcpCommands } from "../../args/mcp-commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { canAsk, confirm } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { openBrowser } from "../../host/open-browser.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import type { Command, CommandContext } from "../command.ts";
import { withRefusals } from "../with-refusals.ts";
import { type BridgeError, bridgeEvents, startBridge } from "./bridge-process.ts";
import { type LoginTarget, loginTarget } from "./login-target.ts";

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
