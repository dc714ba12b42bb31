// `ikigai tool remove`: removes what `tool add` has installed.

import { sanitiseLine } from "@ikigai/screen";
import { shellWord } from "@ikigai/system";
import { type Removal, removePackage, ToolRoot } from "@ikigai/tool-packages";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/terminal/ask-person.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { shortPath } from "../../render/short-forms.ts";
import { type Command, type CommandContext, withRefusals } from "../command.ts";
import { broughtBy, namesOfBrought } from "./add/brought.ts";

const syntax = commands["tool remove"];

/** Removes what `tool add` installed; asks before it removes anything else. */
export const toolRemove: Command = {
  run(args, { places }) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [wanted = ""] = readOperands(operands, syntax);
    const [isAllowed, isDryRun] = [flags.has("yes"), flags.has("dry-run")];
    const shown = (path: string) => sanitiseLine(shortPath(path, places));
    return withRefusals(async () => {
      const root = ToolRoot.of(places, { isProject: flags.has("project") });
      let brought = "";
      const removed = await removePackage({
        ...{ wanted, root, places },
        async confirm(removal) {
          showRemoval(removal, isDryRun, places);
          if (isDryRun) return false;
          const { added, data, contents } = removal;
          if (contents !== undefined) brought = namesOfBrought(await broughtBy(contents));
          if (isAllowed || (added && !added.isChanged && !data?.isFilled)) return true;
          if (!canAsk()) throw nobodyToAsk();
          return confirm(added ? `Remove ${namesIn(removal, brought)}?` : "Remove it?");
        },
      });
      if (isDryRun) return exitCodes.done;
      if (!removed) {
        printError("Nothing was removed.\n");
        return exitCodes.failed;
      }
      const { added, data, paths, trust, dataProblem, folder } = removed;
      if (data && dataProblem !== undefined) printError(`Its data remains: ${shown(data.path)}: ${dataProblem}\n`);
      if (trust?.problem !== undefined) printError(`The project cannot be trusted. ${sanitiseLine(trust.problem)}\n`);
      const what = added
        ? `${sanitiseLine(`${added.name} ${added.version}`.trim())}: ${namesIn(removed, brought)}`
        : paths.map((path) => shortPath(path, places)).join(", ");
      printOut(`Removed ${what}\n`);
      if (folder !== undefined)
        printError(`Its folder remains. To remove it: rm -r ${sanitiseLine(shellWord(folder))}\n`);
      return exitCodes.done;
    });
  },
};

/** What a package has: its tools, and what else it has brought. */
function namesIn({ tools }: Pick<Removal, "tools">, brought: string): string {
  return [...tools, brought].filter((name) => name !== "").join(", ");
}

/** What is removed, and what the user should know about it. */
function showRemoval({ added, paths, data }: Removal, isDryRun: boolean, places: CommandContext["places"]): void {
  const shown = paths.map((path) => sanitiseLine(shortPath(path, places)));
  if (isDryRun || added?.isChanged) printOut(`Files to remove:\n${shown.map((path) => `  ${path}\n`).join("")}`);
  if (added?.isChanged)
    printError(`${sanitiseLine(added.name)} has changed since it was added: the changes would be lost.\n`);
  if (!added) printError(`${shown} was not added by ikigai tool add: once removed, it cannot be restored.\n`);
  if (data?.isFilled)
    printError(
      `Its data in ${sanitiseLine(shortPath(data.path, places))} is removed with it and cannot be restored.\n`,
    );
}
