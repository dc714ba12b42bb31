import { existsSync } from "node:fs";
import { basename, isAbsolute, resolve } from "node:path";
import { namedDataDirectory } from "@ikigai/core/internal";
import { type Definitions, isStdio, packageName, serverTarget, withSecrets } from "@ikigai/mcp";
import { install, readRecord, refuseConflicts, toolRoot, withStage } from "@ikigai/tool-packages";
import { UsageError } from "../../args/usage-error.ts";
import { askForLine, canAsk, nobodyToAsk } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { openToolbox } from "../../host/open-toolbox.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import type { Command, CommandContext } from "../command.ts";
import { withRefusals } from "../with-refusals.ts";
import { type AddRequest, readAdd } from "./read-add.ts";
import { renderDefinitions, renderOffer } from "./render-server.ts";
import { stageServer, type WantedServer } from "./stage-server.ts";

/** Adds the tools of an MCP server: starts it once, shows what it has, asks, and writes a package with a wrapper for each tool. */
export const mcpAdd: Command = {
  run(args, context) {
    const request = readAdd(args);
    return withRefusals(() => add(request, context));
  },
};

async function add(request: AddRequest, context: CommandContext): Promise<number> {
  const { name, isAllowed } = request;
  const { places, env } = context;
  const root = toolRoot(places, { isProject: false });
  if (readRecord(root).has(packageName(name)))
    throw new UsageError(`${name} has already been added. To update it: ikigai mcp update ${name}`);
  if (!isAllowed && !canAsk()) throw nobodyToAsk();
  printError(pathAdvice(request));
  printError(plainAdvice(request));
  const isAdded = await withStage(places.home, async (stage) => {
    const { record, facts, definitions, secrets } = await stageServer(request, { ...context, stage, root });
    refuseConflicts(packageName(name), record, root);
    printOut(renderOffer(facts, definitions, name));
    printOut(npxAdvice(request));
    if (!isAllowed && !(await isWanted(definitions))) return false;
    await withSecrets(namedDataDirectory(packageName(name), "user", places), secrets, () =>
      install(packageName(name), record, stage, root),
    );
    return true;
  });
  if (!isAdded) {
    printError("Nothing was added.\n");
    return exitCodes.failed;
  }
  // Fills the schema cache, so that the next start runs no wrapper.
  await openToolbox(places, env).last();
  printOut(`Added. Each call asks; to allow some: --allow 'mcp__${name.replaceAll("-", "_")}__*'\n`);
  return exitCodes.done;
}

/** Warns of the words of a command that name a file here: the server runs in another directory, where they name nothing. */
function pathAdvice({ entry }: WantedServer): string {
  if (!isStdio(entry) || entry.cwd !== undefined) return "";
  return entry.args
    .filter((word) => word !== "" && !isAbsolute(word) && existsSync(word))
    .map((word) =>
      sanitiseLine(
        `${word} is a relative path, and the server runs in a directory of its own. To name the one here: ${resolve(word)}`,
      ),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** Warns of a URL that leads over a network without encryption. */
function plainAdvice({ entry }: WantedServer): string {
  const isLocal = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?(?:\/|$)/i;
  if (isStdio(entry) || !/^http:/i.test(entry.url) || isLocal.test(entry.url)) return "";
  return `${sanitiseLine(serverTarget({ entry }))} is not encrypted: others can read calls.\n`;
}

/** Says how to do without npx, which asks the registry at each start. */
function npxAdvice({ name, entry }: WantedServer): string {
  if (!isStdio(entry) || basename(entry.command) !== "npx") return "";
  const spec = entry.args.find((word) => !word.startsWith("-"));
  return spec === undefined
    ? ""
    : `npx asks the registry at each start. To fetch it once: ikigai mcp add ${name} npm:${sanitiseLine(spec)}\n`;
}

/** Asks until the answer is clear; v shows everything that the model will be told. */
async function isWanted({ tools }: Definitions): Promise<boolean> {
  for (;;) {
    const answer = (await askForLine("Add them? y/N, v shows all that the model sees "))?.toLowerCase();
    if (answer === "y" || answer === "yes") return true;
    if (!answer || answer === "n" || answer === "no") return false;
    if (answer === "v") printOut(renderDefinitions(tools));
    else printError("Type y, n or v.\n");
  }
}
