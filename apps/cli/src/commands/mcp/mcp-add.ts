import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { namedDataDirectory } from "@ikigai/core/internal";
import {
  type Definitions,
  defineTools,
  hideSecrets,
  isStdio,
  maxTools,
  packageName,
  type ServerEntry,
  variablesOf,
  withSecrets,
} from "@ikigai/mcp";
import { beforeExit } from "@ikigai/system";
import { install, Refusal, readRecord, refuseConflicts, toolRoot, withStage } from "@ikigai/tool-packages";
import { UsageError } from "../../args/usage-error.ts";
import { askForLine, canAsk, nobodyToAsk } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { openToolbox } from "../../host/open-toolbox.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import type { Command, CommandContext } from "../command.ts";
import { withRefusals } from "../with-refusals.ts";
import { inspectServer } from "./inspect-server.ts";
import { type AddRequest, readAdd } from "./read-add.ts";
import { renderDefinitions, renderOffer, renderTarget } from "./render-server.ts";
import { writeServerPackage } from "./write-package.ts";

/** Adds the tools of an MCP server: starts it once, shows what it has, asks, and writes a package with a wrapper for each tool. */
export const mcpAdd: Command = {
  run(args, context) {
    const request = readAdd(args);
    return withRefusals(() => add(request, context));
  },
};

async function add(request: AddRequest, context: CommandContext): Promise<number> {
  const { name, entry: given, filter, isAllowed } = request;
  const { places, env } = context;
  const root = toolRoot(places, { isProject: false });
  if (readRecord(root).has(packageName(name)))
    throw new UsageError(`${name} has already been added. Remove it first: ikigai mcp remove ${name}`);
  if (!isAllowed && !canAsk()) throw nobodyToAsk();
  printError(
    relativeFiles(given)
      .map((word) => `${sanitiseLine(pathAdvice(word))}\n`)
      .join(""),
  );
  printOut(`Starts now, with your rights (no sandbox), to say what it has:  ${renderTarget(given)}\n`);
  const { facts, tools } = await inspected(request, context);
  const { entry, secrets } = hideSecrets(given);
  const variables = variablesOf(entry, secrets);
  const definitions = defineTools(tools, { server: name, variables, filter, hasResources: facts.hasResources });
  refuseUnusable(definitions, name, tools.length);
  printOut(renderOffer(facts, definitions, name));
  if (!isAllowed && !(await isWanted(definitions))) {
    printError("Nothing was added.\n");
    return exitCodes.failed;
  }
  const server = { name, entry, ...facts, filter, listedAt: new Date().toISOString() };
  await withStage(places.home, async (stage) => {
    const record = writeServerPackage(server, definitions, stage, root);
    refuseConflicts(packageName(name), record, root);
    await withSecrets(namedDataDirectory(packageName(name), "user", places), secrets, () =>
      install(packageName(name), record, stage, root),
    );
  });
  // Fills the schema cache, so that the next start runs no wrapper.
  await openToolbox(places, env).last();
  printOut(`Added. Each call asks; to allow some: --allow 'mcp__${name.replaceAll("-", "_")}__*'\n`);
  return exitCodes.done;
}

/** The words of a command that name a file here: the server runs in another directory, where they name nothing. */
function relativeFiles(entry: ServerEntry): readonly string[] {
  if (!isStdio(entry) || entry.cwd !== undefined) return [];
  return entry.args.filter((word) => word !== "" && !isAbsolute(word) && existsSync(word));
}

function pathAdvice(word: string): string {
  return `${word} is a relative path, and the server runs in a directory of its own. To name the one here: ${resolve(word)}`;
}

/** Starts the server in an empty directory: nothing of it is written before the user has agreed. */
async function inspected({ name, entry }: AddRequest, { places, env }: CommandContext) {
  const directory = mkdtempSync(join(tmpdir(), `ikigai-${process.pid}-`));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const leave = beforeExit(remove, { isLast: true });
  try {
    const request = { name, entry, packageDir: directory, dataDir: directory, projectDir: places.projectDir };
    return await inspectServer(request, env, (text) => printError(sanitise(text)));
  } finally {
    leave();
    remove();
  }
}

function refuseUnusable({ tools, leftOut }: Definitions, name: string, listed: number): void {
  if (tools.length > maxTools)
    throw new Refusal(
      `${name} has ${tools.length} tools, at most ${maxTools} can be added. Choose some: --include 'get_*', or --exclude`,
    );
  if (tools.length > 0) return;
  const [first] = leftOut;
  throw new Refusal(
    first === undefined
      ? `${name} has ${listed === 0 ? "no tools" : "no tools that --include and --exclude leave"}. Nothing was added.`
      : `None of the tools of ${name} can be used: ${first.name}: ${first.reason}. Nothing was added.`,
  );
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
