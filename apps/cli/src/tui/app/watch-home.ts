import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { beforeExit } from "@ikigai/system";
import { sanitise } from "../../render/sanitise.ts";
import { applyBindings } from "./apply-bindings.ts";
import { say, type Tui } from "./tui.ts";
import { loadWantedTheme, wantedTheme } from "./wanted-theme.ts";

/** Applies the user's keys and theme again when their files change, and runs the status command. */
export function watchHome(tui: Tui): void {
  const { places, config } = tui.session.agent;
  const theme = wantedTheme(tui.session.agent) ?? "auto";
  const { status } = config.screen ?? {};
  const stopKeys = watchFiles(places.home, ["keys.json"], () => void applyBindings(tui));
  const stopTheme =
    theme === "auto" ? () => {} : watchFiles(places.home, [`themes/${theme}.json`], () => void applyTheme(tui));
  beforeExit(async () => {
    stopKeys();
    stopTheme();
  });
  if (status !== undefined) void import("./status-line.ts").then(({ updateStatus }) => updateStatus(tui));
}

/** Draws with the theme as its file has it now; keeps the old one if it cannot be read. */
async function applyTheme(tui: Tui): Promise<void> {
  const { theme, problems = [] } = (await loadWantedTheme(tui.session.agent)) ?? {};
  if (theme) tui.setTheme(theme);
  for (const problem of problems) say(tui, tui.theme.style.yellow(sanitise(problem)));
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
