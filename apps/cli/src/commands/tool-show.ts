import { findTool } from "@ikigai/core";
import { sanitiseLine } from "@ikigai/screen";
import { commands } from "../args/commands.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { exitCodes } from "../host/exit.ts";
import { toolNotFound } from "../host/nearest-name.ts";
import { openToolbox } from "../host/open-toolbox.ts";
import { printError, printOut } from "../host/stdout.ts";
import { renderSent, renderTool, renderUntrusted, whyNotLoaded } from "../render/render-tool.ts";
import { reportSkipped } from "../render/report-tools.ts";
import type { Command } from "./command.ts";

const syntax = commands["tool show"];

export const toolShow: Command = {
  async run(args, { places, env }) {
    const [name = ""] = readOperands(readOptions(args, syntax.options).operands, syntax);
    const registry = await openToolbox(places, env).last();
    const tool = findTool(registry, name);
    const broken = registry.failed.find((failure) => failure.name === name && failure.reason !== "untrusted");
    if (!tool && broken) {
      printError(`ikigai: The tool ${sanitiseLine(`${name} was not loaded: ${whyNotLoaded(broken)}`)}\n`);
      return exitCodes.failed;
    }
    const untrusted = tool ? "" : renderUntrusted(registry, name, places);
    if (untrusted !== "") {
      printOut(untrusted);
      return exitCodes.done;
    }
    // A tool that could not replace this one, too.
    reportSkipped(registry, name);
    if (tool) {
      const service = tool.schema.ikigai?.service;
      const note =
        service === undefined ? "" : `Service: ${service}; one process answers its calls of a conversation\n`;
      printOut(`${renderTool(tool, places)}${note}${renderSent(registry, name)}`);
      return exitCodes.done;
    }
    printError(`ikigai: ${sanitiseLine(toolNotFound(registry, name))}\n`);
    return exitCodes.failed;
  },
};
