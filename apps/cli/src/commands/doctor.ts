import { loadConfig, privacyProblems } from "@ikigai/agent";
import { findLeftovers, trustStatus } from "@ikigai/core";
import { readSandboxFlags } from "../argv.ts";
import { commands } from "../command-line/commands.ts";
import { exitCodes } from "../exit-codes.ts";
import { openToolbox } from "../open-toolbox.ts";
import { printOut } from "../print-out.ts";
import { readOptions } from "../read-options.ts";
import { toolRulesOf } from "../tool-rules.ts";
import type { Command } from "./command.ts";
import { checkDisk } from "./doctor-disk.ts";
import { checkLeftovers, checkSandbox } from "./doctor-sandbox.ts";
import {
  checkConfig,
  checkDirectories,
  checkLimits,
  checkModels,
  checkProject,
  checkTools,
  checkVersions,
  type Section,
} from "./doctor-sections.ts";
import { readOperands } from "./read-operands.ts";

const syntax = commands.doctor;

export const doctor: Command = {
  async run(args, { places, env }) {
    const { operands, flags } = readOptions(args, syntax.options);
    readOperands(operands, syntax);
    const loaded = loadConfig(places.home);
    const rules = toolRulesOf(loaded.config, places, env, readSandboxFlags(flags));
    const [registry, report] = await Promise.all([openToolbox(places, env, rules).last(), trustStatus(places)]);
    const sections: readonly Section[] = [
      checkVersions(),
      checkTools(registry, places),
      checkProject(report, places),
      checkModels(loaded.config, env),
      checkConfig(loaded, places),
      checkDirectories(places, privacyProblems(places.home)),
      checkDisk(places),
      checkLimits(loaded.config),
      await checkSandbox(loaded.config, rules, registry, places, env),
      checkLeftovers(await findLeftovers(places.home), places),
    ];
    printOut(sections.map(renderSection).join("\n"));
    const problems = sections.flatMap(({ lines }) => lines).filter(({ isBroken }) => isBroken).length;
    printOut(problems === 0 ? "\nAll is well.\n" : `\n${problems} to mend: the lines that begin with "!".\n`);
    return problems === 0 ? exitCodes.done : exitCodes.failed;
  },
};

function renderSection({ title, lines }: Section): string {
  return `${title}\n${lines.map(({ text, isBroken }) => `${isBroken ? "!" : " "} ${text}\n`).join("")}`;
}
