import { existsSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import { agreeToNeeds, describeNeeds } from "@ikigai/core/internal";
import { isStdio, packageName, serverTarget, toolPrefix, withSecrets } from "@ikigai/mcp";
import type { ToolNeeds } from "@ikigai/protocol";
import {
  type InstalledPackage,
  install,
  packageData,
  recordDirectory,
  refuseConflicts,
  type ToolRoot,
  withStage,
} from "@ikigai/tool-packages";
import { confirm } from "../../host/confirm.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import type { CommandContext } from "../command.ts";
import { keyOption } from "./inspect-server.ts";
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
    const { record, facts, definitions, secrets, needs } = await stageServer(wanted, { ...context, stage, root });
    refuseConflicts(packageName(name), record, root);
    const { columns } = process.stdout;
    printOut(renderOffer(facts, definitions, name, { isWhole: isAllowed, columns }));
    printOut(
      describeNeeds(needs, context.places)
        .map((need) => `In the sandbox it ${sanitiseLine(need)}\n`)
        .join(""),
    );
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
    await agreeToServer(context.places.home, { record, root, needs });
    const where = root.isHere ? " for this directory" : "";
    printOut(`Added${where}. Each call asks; to allow some: --allow '${toolPrefix(name)}*'\n`);
    return true;
  });
}

/** Records that the user has agreed to what the tools of a server need, whose files are in their place. */
export async function agreeToServer(
  home: string,
  { record, root, needs }: { readonly record: InstalledPackage; readonly root: ToolRoot; readonly needs: ToolNeeds },
): Promise<void> {
  const paths = Object.keys(record.tools).map((fileName) => join(root.tools, fileName));
  await agreeToNeeds(
    home,
    paths.map((path) => ({ path, schema: { ikigai: { needs } } })),
  );
}

/**
 * Warns about arguments that are paths of existing files: the server runs in another directory, where they lead nowhere.
 *
 * @param directory the directory that the command was written for
 */
function pathAdvice({ entry }: WantedServer, directory: string): string {
  if (!isStdio(entry) || entry.cwd !== undefined) return "";
  return entry.args
    .filter((word) => word !== "" && !isAbsolute(word) && existsSync(resolve(directory, word)))
    .map((word) =>
      sanitiseLine(
        `${word} is a relative path, but the server runs in its own data directory. Use the absolute path: ${resolve(directory, word)}`,
      ),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** Warns about a key among the arguments of a command, which everyone on the machine can read. */
function keyAdvice({ entry }: WantedServer): string {
  const option = isStdio(entry) && keyOption(entry.args);
  if (!option) return "";
  const name = sanitiseLine(option.split("=", 1)[0] ?? "");
  return `Everyone on this machine can see ${name} and its value. If the server reads a variable instead: --env, or "env" in a file.\n`;
}

/** Warns about a URL on the network without encryption. */
function plainAdvice({ entry }: WantedServer): string {
  const isLocal = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?(?:\/|$)/i;
  if (isStdio(entry) || !/^http:/i.test(entry.url) || isLocal.test(entry.url)) return "";
  return `${sanitiseLine(serverTarget({ entry }))} is not encrypted: others on the network can read your calls.\n`;
}

/** Says how to avoid npx, which queries the registry at every start. */
function npxAdvice({ name, entry }: WantedServer): string {
  if (!isStdio(entry) || basename(entry.command) !== "npx") return "";
  const spec = entry.args.find((word) => !word.startsWith("-"));
  return spec === undefined
    ? ""
    : `npx queries the registry at every start. To fetch the package once: ikigai mcp add ${name} npm:${sanitiseLine(spec)}\n`;
}
