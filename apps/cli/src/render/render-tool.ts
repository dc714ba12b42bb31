import type { FailedTool, RegisteredTool, Registry } from "@ikigai/core";
import { renderFailure } from "@ikigai/core/internal";
import type { Places } from "../host/places.ts";
import { printError } from "../host/stdout.ts";
import { sanitise, sanitiseLine } from "./sanitise.ts";
import { shortPath } from "./short-path.ts";

/** What `/tool` and `ikigai tool list` print. `originOf` says what stands behind a tool's path. */
export function renderToolList(
  { tools, failed }: Registry,
  places: Places,
  originOf: (path: string) => string = () => "",
): string {
  const shadowed = tools.flatMap(({ name, path, shadows }) => {
    const by = shortPath(path, places);
    return shadows.map((farther) => `  ${name}: ${shortPath(farther.path, places)} (${farther.scope}), by ${by}`);
  });
  const warnings = tools.flatMap(({ name, warnings }) =>
    warnings.map((warning) => `  ${name}: ${sanitiseLine(warning)}`),
  );
  return [
    "Available tools:\n",
    ...tools.map(({ name, path }) => `  ${name} (${shortPath(path, places)})${originOf(path)}\n`),
    ...section("Overridden:", shadowed),
    ...section("Notes:", warnings),
    renderSkipped(failed, places),
  ].join("");
}

/** Which files could not be loaded, and why; nothing when all could. */
export function renderSkipped(failed: readonly FailedTool[], places: Places): string {
  const lines = failed.map(({ name, path, reason, detail }) => {
    return `  ${sanitiseLine(name)} (${shortPath(path, places)}): ${reason}: ${sanitiseLine(detail)}`;
  });
  return section("Not loaded:", lines).join("");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}\n`, ...lines.map((line) => `${line}\n`)];
}

/** What `/tool NAME` and `ikigai tool show` print. */
export function renderTool({ name, path, schema }: RegisteredTool, places: Places): string {
  return `Tool: ${name}\nPath: ${shortPath(path, places)}\nSchema:\n${sanitise(JSON.stringify(schema, null, 2))}\n`;
}

/** Says on stderr which executables were not loaded, and why; of those of one name, if it is given: another may answer for them. */
export function reportSkipped(failed: readonly FailedTool[], name?: string): void {
  const skipped = failed.filter((failure) => name === undefined || failure.name === name);
  for (const failure of skipped) {
    if (failure.reason !== "untrusted") printError(`${sanitiseLine(`${renderFailure(failure)}: ${failure.detail}`)}\n`);
  }
  const notice = untrustedNotice(skipped);
  if (notice !== undefined) printError(`${notice}\n`);
}

/** The line that tells of tools that are not used because the project is not trusted; undefined when there are none. */
export function untrustedNotice(failed: readonly FailedTool[]): string | undefined {
  const names = failed.filter(({ reason }) => reason === "untrusted").map(({ name }) => sanitiseLine(name));
  if (names.length === 0) return undefined;
  return `${names.length} project tool${names.length === 1 ? "" : "s"} not trusted: ${names.join(", ")} — ikigai trust`;
}
