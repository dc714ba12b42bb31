import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { readConfig } from "@ikigai/agent/internal";
import { beforeExit } from "@ikigai/system";
import { sanitise } from "../../render/sanitise.ts";
import { themeFor } from "../pi-tui/theme.ts";
import { applyBindings } from "./apply-bindings.ts";
import { say, type Tui } from "./tui.ts";
import { loadWantedTheme, wantedTheme } from "./wanted-theme.ts";

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
      const screen = { ...agent.config.screen, theme };
      Object.assign(agent, { config: { ...agent.config, screen } });
      takeTheme();
    }),
  ];
  watchTheme();
  beforeExit(async () => {
    for (const stop of [...stops, stopTheme]) stop();
  });
  if (status !== undefined) void import("./status-line.ts").then(({ updateStatus }) => updateStatus(tui));
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
