import type { Agent } from "../../host/open-agent.ts";

/**
 * The name of the theme that the user wants; `auto` follows the terminal. Undefined without colours: then
 * nothing has a ground, so emphasis must not rely on one.
 */
export function wantedTheme({ config, env }: Agent): string | undefined {
  return env.NO_COLOR ? undefined : (config.screen?.theme ?? "auto");
}

/** Loads the theme that the user has named; undefined for the one that follows the terminal, and without colours. */
export async function loadWantedTheme(agent: Agent) {
  const name = wantedTheme(agent);
  if (name === undefined || name === "auto") return undefined;
  const { loadTheme } = await import("./theme-file.ts");
  return loadTheme(name, agent.places.home, agent.env);
}
