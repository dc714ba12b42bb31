import { resolve } from "node:path";
import { projectOverrides, revokeTrust, type TrustReport, trust, trustStatus } from "@ikigai/core";
import { exitCodes } from "../exit-codes.ts";
import { findPlaces, type Places } from "../places.ts";
import { printError, printOut } from "../print-out.ts";
import { renderTrust } from "../screen/render-trust.ts";
import { sanitiseLine } from "../screen/sanitise.ts";
import { UsageError } from "../usage-error.ts";
import type { Command } from "./command.ts";

export const trustCommand: Command = {
  name: "trust",
  usage: "trust [--show | --revoke] [DIR]",
  async run(args, { places: here, env }) {
    const { action, directory } = read(args);
    const places = directory === undefined ? here : findPlaces(env, resolve(here.projectDir, directory));
    const report = await trustStatus(places);
    if (action === "show") return printOut(describe(report, places, env));
    if (action === "revoke") return revoke(places);
    if (report.status === "nothing") {
      printError(`There is nothing to trust: ${sanitiseLine(places.projectDir)} has no .ikigai directory.\n`);
      return exitCodes.failed;
    }
    printOut(describe(report, places, env));
    if (report.problem) return exitCodes.failed;
    await trust({ ...places, seen: report });
    return printOut(
      report.status === "trusted" ? "It was trusted already.\n" : "Trusted, until one of these files changes.\n",
    );
  },
};

function read(args: readonly string[]): { action: "trust" | "show" | "revoke"; directory: string | undefined } {
  const flags = args.filter((arg) => arg.startsWith("-"));
  const [directory, ...rest] = args.filter((arg) => !arg.startsWith("-"));
  const [flag = "--trust", ...others] = flags;
  const action = ({ "--trust": "trust", "--show": "show", "--revoke": "revoke" } as const)[flag];
  if (action === undefined || others.length > 0 || rest.length > 0) {
    throw new UsageError(`Expected ikigai ${trustCommand.usage}, got "${args.join(" ")}".`);
  }
  return { action, directory };
}

async function revoke(places: Places): Promise<number> {
  const had = await revokeTrust(places);
  return printOut(had ? "Not trusted any more.\n" : "It was not trusted.\n");
}

function describe(report: TrustReport, { directories }: Places, env: NodeJS.ProcessEnv): string {
  return renderTrust(report, projectOverrides(directories), env);
}
