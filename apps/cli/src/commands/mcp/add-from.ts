import { dirname, resolve } from "node:path";
import { type ConfiguredServer, isStdio, readServerConfigFile, renderConfigFault } from "@ikigai/mcp";
import { isInside, realPathOf } from "@ikigai/system";
import { hereRoot, toolRoot } from "@ikigai/tool-packages";
import { UsageError } from "../../args/usage-error.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { openToolbox } from "../../host/open-toolbox.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import type { CommandContext } from "../command.ts";
import { withRefusals } from "../with-refusals.ts";
import { addServer } from "./add-server.ts";
import { rootOf } from "./added-servers.ts";
import type { AddFromRequest } from "./read-add.ts";
import { renderOther, renderUsable, type UsableServer } from "./render-config.ts";

/** A server to add, and where. */
interface WantedOne {
  readonly server: UsableServer;
  readonly isHere: boolean;
}

/** The servers of a file, by what becomes of them. */
interface Sorted {
  readonly usable: readonly WantedOne[];
  /** Names that the user has added before, or from elsewhere. */
  readonly known: readonly ConfiguredServer[];
  readonly unusable: readonly Exclude<ConfiguredServer, UsableServer>[];
}

/**
 * Adds the servers of another program's configuration file. Shows what each would start or reach, and starts nothing before the user
 * has agreed; then shows for each what it has, and asks. One that fails does not stop the others.
 *
 * @throws UsageError if the file cannot be read, lacks a named server, or no one can be asked.
 */
export function addFrom(request: AddFromRequest, context: CommandContext): Promise<number> {
  return withRefusals(async () => {
    const sorted = sort(chosenServers(request, context), request, context);
    printOut(renderSorted(sorted, request.file, context.env));
    const { usable, unusable } = sorted;
    const failed = unusable.length > 0 ? exitCodes.failed : exitCodes.done;
    if (usable.length === 0) return failed;
    if (!(await mayStart(usable, request))) {
      printError("Nothing was started or added.\n");
      return exitCodes.failed;
    }
    return Math.max(failed, await addEach(usable, request, context));
  });
}

/** The servers that the user wants, in the order of the file. */
function chosenServers({ file, names }: AddFromRequest, { places }: CommandContext): readonly ConfiguredServer[] {
  const read = readServerConfigFile(file, places.projectDir);
  if ("problem" in read) throw new UsageError(sanitiseLine(renderConfigFault(file, read)));
  const { servers } = read;
  const isCalled = (wanted: string) => (server: ConfiguredServer) => [server.name, server.given].includes(wanted);
  const unknown = names.find((name) => !servers.some(isCalled(name)));
  if (unknown !== undefined)
    throw new UsageError(
      sanitiseLine(
        `No server ${JSON.stringify(unknown)} in ${file}. It has: ${servers.map(({ name }) => name).join(", ")}.`,
      ),
    );
  return names.length === 0 ? servers : servers.filter((server) => names.some((name) => isCalled(name)(server)));
}

function sort(
  servers: readonly ConfiguredServer[],
  { file, isHere }: AddFromRequest,
  { places }: CommandContext,
): Sorted {
  const areHere = isHere || isOfProject(file, places);
  const known = servers.filter(({ name }) => rootOf(name, places) !== undefined);
  const rest = servers.filter((server) => !known.includes(server));
  const unusable = rest.filter((server) => "problem" in server);
  const usable = rest.filter((server) => "entry" in server);
  return {
    usable: usable.map((server) => ({ server, isHere: areHere || server.isOfProject })),
    known,
    unusable,
  };
}

/** Whether a file is in the project. The home directory and those above it are no project: their files are the user's. */
function isOfProject(file: string, { projectDir, userHome }: CommandContext["places"]): boolean {
  const project = realPathOf(projectDir);
  return isInside(realPathOf(dirname(resolve(file))), project) && !isInside(realPathOf(userHome), project);
}

function renderSorted({ usable, known, unusable }: Sorted, file: string, env: NodeJS.ProcessEnv): string {
  const count = usable.length + known.length + unusable.length;
  const areAllHere = usable.length > 0 && usable.every(({ isHere }) => isHere);
  const where = areAllHere ? ", for this directory only" : "";
  return [
    `${count} MCP ${count === 1 ? "server" : "servers"} in ${sanitiseLine(file)}${where}${count === 0 ? "." : ":"}\n`,
    ...usable.map(({ server, isHere }) => renderUsable(server, { isHere: isHere && !areAllHere, env })),
    ...known.map((server) =>
      renderOther(server, `has already been added. To update it: ikigai mcp update ${server.name}`),
    ),
    ...unusable.map((server) => renderOther(server, `cannot be used. ${server.problem}`)),
  ].join("");
}

/** @throws UsageError if no one can be asked. */
async function mayStart(usable: readonly WantedOne[], { isAllowed }: AddFromRequest): Promise<boolean> {
  if (isAllowed) return true;
  if (!canAsk()) throw nobodyToAsk();
  const [which, what] = usable.length === 1 ? ["it", "what it has"] : ["them", "what they have"];
  const hasPrograms = usable.some(({ server }) => isStdio(server.entry));
  return confirm(
    hasPrograms
      ? `Start ${which} now, with your rights (no sandbox), to see ${what}?`
      : `Connect to ${which} now, to see ${what}?`,
  );
}

async function addEach(
  usable: readonly WantedOne[],
  { file, filter, isAllowed }: AddFromRequest,
  context: CommandContext,
): Promise<number> {
  const { places, env } = context;
  let worst: number = exitCodes.done;
  for (const { server, isHere } of usable) {
    const { name, entry } = server;
    const root = isHere ? hereRoot(places) : toolRoot(places, { isProject: false });
    printOut(`\n${name}\n`);
    const code = await withRefusals(async () => {
      const options = { ...context, root, isAllowed, directory: dirname(resolve(file)) };
      if (await addServer({ name, entry, filter }, options)) return exitCodes.done;
      printError(`${name} was not added.\n`);
      return exitCodes.failed;
    });
    worst = Math.max(worst, code);
  }
  // Fills the schema cache, so that the next start runs no wrapper.
  await openToolbox(places, env).last();
  return worst;
}
