import { findTool, nearestName } from "@ikigai/core";
import { commands } from "../command-line/commands.ts";
import { exitCodes } from "../exit-codes.ts";
import { openToolbox } from "../open-toolbox.ts";
import { printError, printOut } from "../print-out.ts";
import { readOptions } from "../read-options.ts";
import { renderTool } from "../screen/render-tool.ts";
import { sanitiseLine } from "../screen/sanitise.ts";
import { tellOfSkipped } from "../tell-of-skipped.ts";
import { toolRulesOf } from "../tool-rules.ts";
import { usableConfig } from "../usable-config.ts";
import type { Command } from "./command.ts";
import { readOperands } from "./read-operands.ts";

const syntax = commands["tool show"];

export const toolShow: Command = {
  async run(args, { places, env }) {
    const [name = ""] = readOperands(readOptions(args, syntax.options).operands, syntax);
    const registry = await openToolbox(places, env, toolRulesOf(usableConfig(places.home).config, places, env)).last();
    tellOfSkipped(registry.failed, name);
    const tool = findTool(registry, name);
    if (tool) {
      printOut(renderTool(tool, places));
      return exitCodes.done;
    }
    const nearest = nearestName(registry, name);
    const advice = nearest === undefined ? "See: ikigai tool list" : `Did you mean ${nearest}?`;
    printError(`ikigai: Tool not found: ${sanitiseLine(name)}. ${advice}\n`);
    return exitCodes.failed;
  },
};
