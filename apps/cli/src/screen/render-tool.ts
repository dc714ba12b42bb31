import type { RegisteredTool, Registry } from "@ikigai/core";
import { shortPath } from "../places.ts";
import { sanitise, sanitiseLine } from "./sanitise.ts";

/** What `/tool` prints. */
export function renderToolList({ tools, failed }: Registry, env: NodeJS.ProcessEnv): string {
  const lines = tools.map(({ name, path, scope, shadows }) => {
    const overrides = shadows[0] ? `  ${scope}, overrides ${shadows[0].scope}` : "";
    return `  ${name} (${sanitiseLine(shortPath(path, env))})${overrides}`;
  });
  const skipped = failed.map(({ name, reason, path }) => {
    return `  ${sanitiseLine(name)} (${sanitiseLine(shortPath(path, env))})  skipped: ${reason}`;
  });
  return `${["Available tools:", ...lines, ...(skipped.length > 0 ? ["Not loaded:", ...skipped] : [])].join("\n")}\n`;
}

/** What `/tool NAME` and `ikigai tool show` print. */
export function renderTool({ name, path, schema, shadows, warnings }: RegisteredTool, env: NodeJS.ProcessEnv): string {
  return `${[
    `Tool: ${name}`,
    `Path: ${sanitiseLine(shortPath(path, env))}`,
    ...shadows.map((shadow) => `Overrides: ${sanitiseLine(shortPath(shadow.path, env))} (${shadow.scope})`),
    ...warnings.map((warning) => `Note: ${sanitiseLine(warning)}`),
    "Schema:",
    sanitise(JSON.stringify(schema, null, 2)),
  ].join("\n")}\n`;
}
