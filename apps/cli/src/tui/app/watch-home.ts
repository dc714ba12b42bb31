// Applies the user's keys and themes, and again when their files change.

import { existsSync, type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { readConfig } from "@ikigai/agent/internal";
import { sanitise, themeFor } from "@ikigai/screen";
import { beforeExit } from "@ikigai/system";
import type { Agent } from "../../host/conversation/agent-from-flags.ts";
import { defaultBindings, editorBindings } from "../components/key-bindings.ts";
import { say, type Tui } from "./tui.ts";

/** Applies the user's keys and theme again when their files or `screen.theme` change, and runs the status command. */
export function watchHome(tui: Tui): void {
  const { agent } = tui.session;
  const { home } = agent.places;
  const { status } = agent.config.screen ?? {};
  let stopTheme = () => {};
  const watchTheme = () => {
    stopTheme();
    const theme = wantedTheme(agent) ?? "auto";
    stopTheme = theme === "auto" ? () => {} : watchFiles(home, [`themes/${theme}.json`], () => void applyTheme(tui));
  };
  const takeTheme = () => {
    watchTheme();
    void applyTheme(tui);
  };
  const stops = [
    watchFiles(home, ["keys.json"], () => void applyBindings(tui)),
    // A directory that did not exist at the start.
    watchFiles(home, ["themes"], () => wantedTheme(agent) !== "auto" && takeTheme()),
    watchFiles(home, ["config.json"], () => {
      const { theme = "auto" } = readConfig(home).config.screen ?? {};
      if (theme === (agent.config.screen?.theme ?? "auto")) return;
      agent.applySettings({ screen: { ...agent.config.screen, theme } });
      takeTheme();
    }),
  ];
  watchTheme();
  beforeExit(async () => {
    for (const stop of [...stops, stopTheme]) stop();
  });
  if (status !== undefined) void import("./run-beside.ts").then(({ updateStatus }) => updateStatus(tui));
}

/** Draws with the theme as its file has it now; keeps the old one if it cannot be read. */
async function applyTheme(tui: Tui): Promise<void> {
  if (wantedTheme(tui.session.agent) === undefined) return;
  const loaded = await loadWantedTheme(tui.session.agent);
  const theme = loaded ? loaded.theme : themeFor(undefined);
  if (theme) tui.setTheme(theme);
  for (const problem of loaded?.problems ?? []) say(tui, tui.theme.style.yellow(sanitise(problem)));
}

/** The delay after a change, in milliseconds: editors write a file in several steps. */
const settleMs = 100;

/** Calls back when one of these files below a directory changes. Where the system cannot watch, nothing is reported. */
function watchFiles(directory: string, files: readonly string[], changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers: FSWatcher[] = [];
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(changed, settleMs);
    timer.unref();
  };
  for (const file of files) {
    const at = file.lastIndexOf("/") + 1;
    const name = file.slice(at);
    try {
      const watcher = watch(join(directory, file.slice(0, at)), { persistent: false }, (_, seen) => {
        if (seen === null || seen === name) soon();
      });
      // The directory was removed.
      watcher.on("error", () => watcher.close());
      watchers.push(watcher);
    } catch {
      // There is no such directory, or the system has too many watches.
    }
  }
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** Applies the user's `keys.json`, and says what is wrong with it. Without the file, nothing is loaded. */
export async function applyBindings(tui: Tui): Promise<void> {
  const { home } = tui.session.agent.places;
  if (!existsSync(join(home, "keys.json"))) {
    if (tui.bindings !== defaultBindings) use(tui, defaultBindings);
    return;
  }
  const { loadBindings } = await import("./user-files.ts");
  const { bindings, problems } = loadBindings(home);
  use(tui, bindings);
  for (const problem of problems) say(tui, tui.theme.style.yellow(sanitise(problem)));
}

function use(tui: Tui, bindings: Tui["bindings"]): void {
  tui.setBindings(bindings);
  tui.editor.bind(editorBindings(bindings));
}

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
  const { loadTheme } = await import("./user-files.ts");
  return loadTheme(name, agent.places.home, agent.env);
}
