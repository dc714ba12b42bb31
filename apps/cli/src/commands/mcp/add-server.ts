import { packageName, toolPrefix, withSecrets } from "@ikigai/mcp";
import {
  install,
  packageData,
  recordDirectory,
  refuseConflicts,
  type ToolRoot,
  withStage,
} from "@ikigai/tool-packages";
import { confirm } from "../../host/confirm.ts";
import { printError, printOut } from "../../host/stdout.ts";
import type { CommandContext } from "../command.ts";
import { keyAdvice, npxAdvice, pathAdvice, plainAdvice } from "./add-advice.ts";
import { renderDefinitions, renderOffer } from "./render-server.ts";
import { stageServer, type WantedServer } from "./stage-server.ts";

export interface AddOptions extends CommandContext {
  readonly root: ToolRoot;
  /** Whether the user has agreed before. */
  readonly isAllowed: boolean;
  /** Where the command was written for. */
  readonly directory: string;
}

/**
 * Starts a server once, shows what it has, asks, and writes a package with a wrapper for each tool.
 *
 * @returns whether the user agreed.
 * @throws Refusal if it cannot be used; the system's error. Nothing has been written then.
 */
export async function addServer(wanted: WantedServer, options: AddOptions): Promise<boolean> {
  const { root, isAllowed, directory, ...context } = options;
  const { name } = wanted;
  printError(pathAdvice(wanted, directory));
  printError(keyAdvice(wanted));
  printError(plainAdvice(wanted));
  return withStage(context.places.home, async (stage) => {
    const { record, facts, definitions, secrets } = await stageServer(wanted, { ...context, stage, root });
    refuseConflicts(packageName(name), record, root);
    const { columns } = process.stdout;
    printOut(renderOffer(facts, definitions, name, { isWhole: isAllowed, columns }));
    printOut(npxAdvice(wanted));
    const view = {
      what: "everything that the model sees",
      print: () => printOut(renderDefinitions(definitions.tools)),
    };
    if (!isAllowed && !(await confirm("Add them?", view))) return false;
    await withSecrets(packageData(packageName(name), root, context.places), secrets, async () => {
      if (root.isHere) recordDirectory(root, context.places);
      await install(packageName(name), record, stage, root);
    });
    const where = root.isHere ? " for this directory" : "";
    printOut(`Added${where}. Each call asks; to allow some: --allow '${toolPrefix(name)}*'\n`);
    return true;
  });
}
