import type { Places } from "@ikigai/agent/internal";
import { type Config, sandboxSettings, type ToolRules } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import { type Leftovers, sandboxProblem } from "@ikigai/core/internal";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { broken, fine, note, type Section } from "./doctor-sections.ts";

/** Starts a sandbox to see whether it can be. A missing one is only wrong if somebody wants it. */
export async function checkSandbox(
  config: Config,
  rules: ToolRules,
  registry: Registry,
  places: Places,
  env: NodeJS.ProcessEnv,
): Promise<Section> {
  const settings = rules.sandbox ?? sandboxSettings(config, places, false);
  const problem = await sandboxProblem(settings, places.projectDir, env);
  const local = registry.tools.filter(({ launcher }) => !launcher).map(({ name }) => name);
  const inside = local.filter((name) => rules.settingsFor(name).sandbox);
  const online = inside.filter((name) => rules.settingsFor(name).sandbox?.network);
  const isWanted = rules.sandbox !== undefined || inside.length > 0;
  const state = problem === undefined ? fine("available") : (isWanted ? broken : fine)(sanitiseLine(problem));
  const who =
    inside.length === 0 ? "none; ikigai --sandbox, or sandbox.enabled in the configuration" : inside.join(", ");
  return {
    title: "Sandbox",
    lines: [
      state,
      fine(`tools in it: ${who}`),
      ...(online.length > 0 ? [fine(`with the network: ${online.join(", ")}`)] : []),
      ...registry.tools.flatMap(({ name, launcher, path }) => {
        return launcher ? [fine(`${name} runs somewhere else: ${sanitiseLine(path)}`)] : [];
      }),
    ],
  };
}

/** How many leftovers are named. */
const maxNamed = 10;

export function checkLeftovers({ processes, files }: Leftovers, places: Places): Section {
  const more = files.length > maxNamed ? [fine(`and ${files.length - maxNamed} more`)] : [];
  const running = processes.length === 0 ? [] : [note(`of calls whose ikigai is gone: kill -9 ${processes.join(" ")}`)];
  const left = files
    .slice(0, maxNamed)
    .map((path) => fine(`can be removed: rm -r ${sanitiseLine(shortPath(path, places))}`));
  const lines = [...running, ...left, ...more];
  return { title: "Leftovers", lines: lines.length === 0 ? [fine("none")] : lines };
}
