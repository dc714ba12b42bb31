// `ikigai tool list` and `ikigai tool show`.

import { findTool, type Registry } from "@ikigai/core";
import { sanitiseLine } from "@ikigai/screen";
import { type InstalledTools, installedTools } from "@ikigai/tool-packages";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { openCommandTools, toolNotFound } from "../../host/conversation/command-tools.ts";
import { namedDirectoryProblems } from "../../host/places/find-places.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { printFaithfully } from "../../render/line-output.ts";
import {
  renderSent,
  renderTool,
  renderToolList,
  renderUntrusted,
  whyNotLoaded,
} from "../../render/tool/render-tool.ts";
import { reportSkipped } from "../../render/tool/report-tools.ts";
import type { Command } from "../command.ts";
import { type BringingPackage, bringingPackages, renderBrought } from "./add/brought.ts";
import { installedTrouble, misnamedFiles, renderMisnamed } from "./tool-problems.ts";

export const toolList: Command = {
  async run(args, { places, env }) {
    const { flags, operands } = readOptions(args, commands["tool list"].options);
    readOperands(operands, commands["tool list"]);
    const registry = await openCommandTools(places, env).last();
    const installed = installedTools(places, registry);
    const packages = await bringingPackages(places, registry.trust);
    if (flags.has("json")) {
      const rows = [...toRows(registry, installed), ...packages.flatMap(broughtRows)];
      printFaithfully(`${JSON.stringify(rows, null, 2)}\n`);
    } else {
      printOut(
        renderToolList(withoutOwnNames(registry, installed), places, {
          originOf: (path) => renderOrigin(installed.byPath.get(path)),
        }),
      );
      const brought = renderBrought(packages).map((line) => `  ${line}\n`);
      if (brought.length > 0) printOut(`Added packages also have:\n${brought.join("")}`);
      const misnamed = misnamedFiles(places, registry).map((file) => `  ${renderMisnamed(file, places)}\n`);
      if (misnamed.length > 0) printOut(`Ignored:\n${misnamed.join("")}`);
      const trouble = installedTrouble(installed, places).map((line) => `  ${line}\n`);
      if (trouble.length > 0) printOut(`Changed since they were added:\n${trouble.join("")}`);
    }
    for (const problem of namedDirectoryProblems(env)) printError(`${sanitiseLine(problem)}\n`);
    return exitCodes.done;
  },
};

/** Without notes on the tools that the user renamed: a schema with the other name is what they expect. */
function withoutOwnNames(registry: Registry, { byPath }: InstalledTools): Registry {
  const tools = registry.tools.map((tool) => (byPath.get(tool.path)?.isRenamed ? { ...tool, warnings: [] } : tool));
  return { ...registry, tools };
}

function toRows({ tools, failed }: Registry, { byPath }: InstalledTools) {
  return [
    ...tools.map(({ name, schema, path, scope, shadows }) => {
      return {
        kind: "tool",
        name,
        description: schema.description,
        path,
        scope,
        status: "loaded",
        shadows,
        ...origin(path),
      };
    }),
    ...failed.map(({ name, schema, path, scope, reason, detail }) => {
      return {
        kind: "tool",
        name,
        description: schema?.description ?? "",
        path,
        scope,
        status: "failed",
        reason,
        detail,
        shadows: [],
        ...origin(path),
      };
    }),
  ];

  function origin(path: string) {
    const installed = byPath.get(path);
    if (!installed) return {};
    const { source, version, sha256, state } = installed;
    return { package: installed.package, source, version, sha256, changed: state !== "same" };
  }
}

/** The rows of what a package brings besides tools. */
function broughtRows({ name: owner, version, source, scope, isChanged, brought }: BringingPackage) {
  return brought.map(({ kind, name, text, path }) => {
    return { kind, name, description: text, path, scope, package: owner, source, version, changed: isChanged };
  });
}

/** The package and version of an installed tool, for its line in the list. */
function renderOrigin(installed: ReturnType<InstalledTools["byPath"]["get"]>): string {
  if (!installed) return "";
  const { package: name, version, source } = installed;
  return `  ${sanitiseLine([name, version, `from ${source}`].filter((part) => part !== "").join(" "))}`;
}

/** Shows a tool as the model has it, or why it was not loaded. */
export const toolShow: Command = {
  async run(args, { places, env }) {
    const [name = ""] = readOperands(readOptions(args, commands["tool show"].options).operands, commands["tool show"]);
    const registry = await openCommandTools(places, env).last();
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
