import type { FailedTool } from "@ikigai/core";
import { renderFailure } from "@ikigai/core/internal";
import { printError } from "../host/stdout.ts";
import { sanitiseLine } from "./sanitise.ts";

/** Reports on stderr which executables were not loaded, and why; with `name`, only those of that name. */
export function reportSkipped(failed: readonly FailedTool[], name?: string): void {
  const skipped = failed.filter((failure) => name === undefined || failure.name === name);
  for (const failure of skipped) {
    if (failure.reason !== "untrusted") printError(`${sanitiseLine(`${renderFailure(failure)}: ${failure.detail}`)}\n`);
  }
  const notice = name === undefined ? untrustedNotice(skipped) : oneUntrustedNotice(skipped);
  if (notice !== undefined) printError(`${notice}\n`);
}

/** The notice about tools skipped because the project is not trusted; undefined without any. */
export function untrustedNotice(failed: readonly FailedTool[]): string | undefined {
  const names = failed.filter(({ reason }) => reason === "untrusted").map(({ name }) => sanitiseLine(name));
  if (names.length === 0) return undefined;
  return `${names.length} project tool${names.length === 1 ? "" : "s"} not trusted: ${names.join(", ")} — ikigai trust`;
}

/** Without a number: the project may have more such tools. */
function oneUntrustedNotice(failed: readonly FailedTool[]): string | undefined {
  const tool = failed.find(({ reason }) => reason === "untrusted");
  return tool && `The project tool ${sanitiseLine(tool.name)} is not trusted — ikigai trust`;
}
