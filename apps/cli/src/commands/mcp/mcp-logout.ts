import { loginServer, packageName, serverNameProblem } from "@ikigai/mcp";
import { packageData, Refusal, userRoots } from "@ikigai/tool-packages";
import { mcpCommands } from "../../args/mcp-commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { sanitise } from "../../render/sanitise.ts";
import type { Command } from "../command.ts";
import { withRefusals } from "../with-refusals.ts";
import { type BridgeError, bridgeEvents, startBridge } from "./bridge-process.ts";
import { readUrl } from "./login-target.ts";

const syntax = mcpCommands["mcp logout"];

/** Removes the tokens of an MCP server, and asks its authorization server to revoke them. */
export const mcpLogout: Command = {
  run(args, { places, env }) {
    const { operands } = readOptions(args, syntax.options);
    const [name = ""] = readOperands(operands, syntax);
    const problem = serverNameProblem(name);
    if (problem !== undefined) throw new UsageError(problem);
    return withRefusals(async () => {
      const dataDirs = userRoots(places).map((root) => packageData(packageName(name), root, places));
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
