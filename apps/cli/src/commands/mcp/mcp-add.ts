import { hereRoot, toolRoot } from "@ikigai/tool-packages";
import { UsageError } from "../../args/usage-error.ts";
import { canAsk, nobodyToAsk } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { openToolbox } from "../../host/open-toolbox.ts";
import { printError } from "../../host/stdout.ts";
import type { Command, CommandContext } from "../command.ts";
import { withRefusals } from "../with-refusals.ts";
import { addServer } from "./add-server.ts";
import { rootOf } from "./added-servers.ts";
import { type AddRequest, readAdd } from "./read-add.ts";

/** Adds the tools of an MCP server, or of those that a configuration file names. */
export const mcpAdd: Command = {
  async run(args, context) {
    const request = readAdd(args);
    if ("file" in request) {
      const { addFrom } = await import("./add-from.ts");
      return addFrom(request, context);
    }
    return withRefusals(() => add(request, context));
  },
};

async function add(request: AddRequest, context: CommandContext): Promise<number> {
  const { name, isAllowed } = request;
  const { places, env } = context;
  const known = rootOf(name, places);
  // Two servers of one name would share rules, and some of their tools.
  if (known)
    throw new UsageError(
      `${name} has already been added${known.isHere ? " for this directory" : ""}. To update it: ikigai mcp update ${name}`,
    );
  if (!isAllowed && !canAsk()) throw nobodyToAsk(confirmAdvice(request));
  const root = request.isHere ? hereRoot(places) : toolRoot(places, { isProject: false });
  if (!(await addServer(request, { ...context, root, isAllowed, directory: places.projectDir }))) {
    printError("Nothing was added.\n");
    return exitCodes.failed;
  }
  // Fills the schema cache, so that the next start runs no wrapper.
  await openToolbox(places, env).last();
  return exitCodes.done;
}

/** What to do without a terminal; `undefined` for the usual advice. */
function confirmAdvice({ entry }: AddRequest): string | undefined {
  const last = "args" in entry ? entry.args.at(-1) : undefined;
  if (last !== "--yes" && last !== "-y") return undefined;
  return `put --yes before --, to confirm; after it, ${last} is an argument of the server.`;
}
