import { type Registry, renderFailure } from "@ikigai/core";
import { printError } from "../print-out.ts";
import { untrustedNotice } from "../screen/render-trust.ts";
import { sanitiseLine } from "../screen/sanitise.ts";

/** Says on stderr which executables of this name were not loaded, and why: another one may answer for them. */
export function tellOfSkipped({ failed }: Registry, name: string): void {
  const skipped = failed.filter((failure) => failure.name === name);
  for (const failure of skipped) {
    if (failure.reason !== "untrusted") printError(`${sanitiseLine(`${renderFailure(failure)}: ${failure.detail}`)}\n`);
  }
  const notice = untrustedNotice(skipped);
  if (notice !== undefined) printError(`${notice}\n`);
}
