// `ikigai trust`: shows a project's files that run or are read, trusts them after a yes, and revokes that.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { overridesOf, type Places } from "@ikigai/agent/internal";
import { revokeTrust, TrustStoreProblem, trust, trustStatus } from "@ikigai/core";
import { sanitiseLine } from "@ikigai/screen";
import { commands } from "../args/commands.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { UsageError } from "../args/usage-error.ts";
import { findPlaces } from "../host/places/find-places.ts";
import { canAsk, confirm, nobodyToAsk } from "../host/terminal/ask-person.ts";
import { exitCodes } from "../host/terminal/exit.ts";
import { printError, printOut } from "../host/terminal/stdout.ts";
import { nothingToTrust, renderTrust, storeProblem, trustEffect } from "../render/question/render-trust.ts";
import type { Command } from "./command.ts";

const syntax = commands.trust;

export const trustCommand: Command = {
  async run(args, { places: here, env }) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [directory] = readOperands(operands, syntax);
    if (flags.has("show") && flags.has("revoke")) throw new UsageError("Expected --show or --revoke, got both.");
    const places = directory === undefined ? here : findPlaces(env, resolve(here.projectDir, directory));
    // The decision about a directory that no longer exists can still be removed.
    if (!flags.has("revoke") && !existsSync(places.projectDir)) {
      printError(`ikigai: No such directory: ${sanitiseLine(places.projectDir)}\n`);
      return exitCodes.failed;
    }
    try {
      if (flags.has("show")) return await show(places);
      return await (flags.has("revoke") ? revoke(places) : allow(places, flags.has("yes")));
    } catch (error) {
      if (error instanceof TrustStoreProblem) {
        printError(`ikigai: ${sanitiseLine(error.message)}\n`);
        return exitCodes.failed;
      }
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      printError(`ikigai: Cannot store the decision: ${storeProblem(error)}.\n`);
      return exitCodes.failed;
    }
  },
};

async function show(places: Places): Promise<number> {
  const seen = await trustStatus(places);
  printOut(renderTrust(seen, await overridesOf(seen, places), places, { isWhole: true }));
  return exitCodes.done;
}

async function revoke(places: Places): Promise<number> {
  printOut((await revokeTrust(places)) ? "No longer trusted.\n" : "Nothing to revoke: this project is not trusted.\n");
  return exitCodes.done;
}

/** Trusts the files that it shows, and no others, once the user has agreed: on a terminal, or with --yes. */
async function allow(places: Places, isAgreed: boolean): Promise<number> {
  const seen = await trustStatus(places);
  if (seen.status === "nothing") {
    printError(`ikigai: ${nothingToTrust(seen, places)}\n`);
    return exitCodes.failed;
  }
  printOut(renderTrust(seen, await overridesOf(seen, places), places));
  if (seen.problem !== undefined) return exitCodes.failed;
  if (seen.status === "trusted") return exitCodes.done;
  if (!isAgreed && !canAsk()) throw nobodyToAsk("pass --yes to trust these files.");
  if (!isAgreed && !(await confirm(`Trust these files? Their ${trustEffect(seen)}.`))) {
    printError("Nothing was trusted.\n");
    return exitCodes.failed;
  }
  const { status } = await trust({ ...places, seen });
  if (status === "trusted") {
    printOut("Trusted until one of these files changes.\n");
    return exitCodes.done;
  }
  printError("ikigai: The files changed in the meantime. Nothing was trusted. See: ikigai trust --show\n");
  return exitCodes.failed;
}
