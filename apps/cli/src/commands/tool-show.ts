import { findTool, nearestName } from "@ikigai/core";
import { exitCodes } from "../exit-codes.ts";
import { printError, printOut } from "../print-out.ts";
import { renderTool } from "../screen/render-tool.ts";
import { openToolbox } from "../toolbox.ts";
import { UsageError } from "../usage-error.ts";
import type { Command } from "./command.ts";

export const toolShow: Command = {
  name: "show",
  usage: "tool show NAME",
  async run([name, ...rest], { places, env }) {
    if (name === undefined || rest.length > 0) throw new UsageError(`Expected ikigai ${toolShow.usage}.`);
    const registry = await openToolbox(places, env).current();
    const tool = findTool(registry, name);
    if (tool) return printOut(renderTool(tool, env));
    const nearest = nearestName(registry, name);
    printError(`Tool not found: ${name}.${nearest ? ` Did you mean ${nearest}?` : " See: ikigai tool list"}\n`);
    return exitCodes.failed;
  },
};
