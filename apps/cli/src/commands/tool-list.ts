import type { Registry } from "@ikigai/core";
import { type InstalledTools, installedTools } from "@ikigai/tool-packages";
import { commands } from "../args/commands.ts";
import { readOptions } from "../args/read-options.ts";
import { exitCodes } from "../host/exit-codes.ts";
import { openToolbox } from "../host/open-toolbox.ts";
import { printOut } from "../host/stdout.ts";
import { printFaithfully } from "../render/print-faithfully.ts";
import { renderToolList } from "../render/render-tool.ts";
import type { Command } from "./command.ts";
import { readOperands } from "./read-operands.ts";
import { renderInstalledTrouble, renderOrigin } from "./render-installed.ts";

const syntax = commands["tool list"];

export const toolList: Command = {
  async run(args, { places, env }) {
    const { flags, operands } = readOptions(args, syntax.options);
    readOperands(operands, syntax);
    const registry = await openToolbox(places, env).last();
    const installed = installedTools(places, registry);
    if (flags.has("json")) printFaithfully(`${JSON.stringify(toRows(registry, installed), null, 2)}\n`);
    else {
      printOut(renderToolList(registry, places, (path) => renderOrigin(installed.byPath.get(path))));
      printOut(renderInstalledTrouble(installed, places));
    }
    return exitCodes.done;
  },
};

function toRows({ tools, failed }: Registry, { byPath }: InstalledTools) {
  return [
    ...tools.map(({ name, schema, path, scope, shadows }) => {
      return { name, description: schema.description, path, scope, status: "loaded", shadows, ...origin(path) };
    }),
    ...failed.map(({ name, path, scope, reason, detail }) => {
      return { name, description: "", path, scope, status: "failed", reason, detail, shadows: [], ...origin(path) };
    }),
  ];

  function origin(path: string) {
    const installed = byPath.get(path);
    if (!installed) return {};
    const { source, version, sha256, state } = installed;
    return { package: installed.package, source, version, sha256, changed: state !== "same" };
  }
}
