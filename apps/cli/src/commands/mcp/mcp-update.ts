import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  changesFileName,
  isStdio,
  packageName,
  type ServerFile,
  type ServerPackage,
  wrappedLine,
  wrapperFileName,
} from "@ikigai/mcp";
import { diffLines, sanitiseLine, sanitiseStrictly } from "@ikigai/screen";
import { readRegularFile } from "@ikigai/system";
import { type InstalledPackage, install, Refusal, withStage } from "@ikigai/tool-packages";
import { mcpCommands } from "../../args/mcp-commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit.ts";
import { openToolbox } from "../../host/open-toolbox.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { type Command, type CommandContext, withRefusals } from "../command.ts";
import { type AddedServer, addedServer, addedServers, indented } from "./added-servers.ts";
import { type StagedServer, stageServer, type WantedServer } from "./stage-server.ts";

const syntax = mcpCommands["mcp update"];

/** Lists the tools of one server or of all again, shows the differences, asks, and replaces their packages. */
export const mcpUpdate: Command = {
  async run(args, context) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [name] = readOperands(operands, syntax);
    const isAllowed = flags.has("yes");
    if (name !== undefined && flags.has("all")) throw new UsageError("Expected NAME or --all, got both.");
    let worst: number = exitCodes.done;
    const ended = await withRefusals(async () => {
      const servers = name === undefined ? addedServers(context.places) : [addedServer(name, context.places)];
      if (servers.length === 0) printError("No MCP servers have been added.\n");
      else if (!isAllowed && !canAsk()) throw nobodyToAsk();
      for (const server of servers)
        worst = Math.max(worst, await withRefusals(() => update(server, { ...context, isAllowed })));
      // Fills the schema cache, so that the next start runs no wrapper.
      await openToolbox(context.places, context.env).last();
      return exitCodes.done;
    });
    return Math.max(worst, ended);
  },
};

async function update(
  before: AddedServer,
  { isAllowed, ...context }: CommandContext & { readonly isAllowed: boolean },
): Promise<number> {
  const { name, root, pack, dataDir } = before;
  if (pack === undefined)
    throw new Refusal(
      `The files of ${name} are missing or damaged. Remove it and add it again: ikigai mcp remove ${name}`,
    );
  return withStage(context.places.home, async (stage) => {
    const { record, ...staged } = await stageServer(wantedAgain(pack.server), { ...context, stage, root, before });
    const forget = () => rmSync(join(dataDir, changesFileName), { force: true });
    if (record.directory === before.record.directory && before.isAsAdded) {
      forget();
      printOut(`${name} is up to date.\n`);
      return exitCodes.done;
    }
    root.refuseConflicts(packageName(name), record);
    printOut(renderServerChanges(pack, before.record, { record, ...staged }));
    if (!isAllowed && !(await confirm(`Replace the tools of ${name}?`))) {
      printError("Nothing was changed.\n");
      return exitCodes.failed;
    }
    await install(packageName(name), record, { stage, root, places: context.places, needsOf: () => staged.needs });
    forget();
    printOut(`Updated ${name}.\n`);
    return exitCodes.done;
  });
}

/** The request that added the server, to repeat it. */
function wantedAgain({ name, entry, npm, filter, needs }: ServerFile): WantedServer {
  if (npm === undefined || !isStdio(entry)) return { name, entry, filter, needs };
  // The first argument is the program of the last version.
  return { name, entry: { ...entry, args: entry.args.slice(1) }, npm, filter, needs };
}

/** What an update of a server changes: every tool, with everything that the model sees of it. */
function renderServerChanges(
  before: ServerPackage,
  { version }: InstalledPackage,
  { record, facts, definitions: { tools, leftOut } }: StagedServer,
): string {
  const old = linesOf(before);
  const gone = [...old.keys()].filter((name) => !tools.some((tool) => tool.name === name));
  const rows = [
    ...(version === record.version ? [] : [sanitiseLine(`version ${version || "-"} → ${record.version || "-"}`)]),
    ...tools.flatMap(({ name, line }) => renderTool(name, old.get(name), line)),
    ...gone.map((name) => `- ${name}`),
    ...leftOut.map(({ name, reason }) => `Left out: ${sanitiseLine(name)}: ${sanitiseLine(reason)}.`),
    ...(facts.instructions === before.server.instructions
      ? []
      : ["Its new instructions:", ...indented(facts.instructions ?? "")]),
  ];
  return `${(rows.length > 0 ? rows : ["Its tools are unchanged; only the files that call them are replaced."]).join("\n")}\n`;
}

/** The schemas of the tools that were added, as the model sees them, by name. */
function linesOf({ path, tools: { tools } }: ServerPackage): ReadonlyMap<string, string> {
  return new Map(tools.map(({ tool }) => [tool, wrappedLine(read(join(path, wrapperFileName(tool)))) ?? ""]));
}

function read(path: string): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch {
    // A file that is missing has no schema, so the whole one is shown.
    return "";
  }
}

function renderTool(name: string, old: string | undefined, now: string): string[] {
  if (old === now) return [];
  const changed = diffLines(pretty(old ?? ""), pretty(now)).filter(({ sign }) => sign !== " ");
  return [
    `${old === undefined ? "+" : "~"} ${name}`,
    ...changed.map(({ sign, text }) => sanitiseStrictly(`    ${sign} ${text}`)),
  ];
}

function pretty(line: string): string[] {
  return line === "" ? [] : JSON.stringify(JSON.parse(line), null, 2).split("\n");
}
