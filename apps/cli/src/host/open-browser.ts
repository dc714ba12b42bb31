import { startProgram } from "@ikigai/core/internal";
import { isMacOs } from "@ikigai/system";

/** Opens a web page in the user's browser; returns whether there is a screen for it. */
export function openBrowser(url: string, env: NodeJS.ProcessEnv, projectDir: string): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = env;
  if (!isMacOs && !DISPLAY && !WAYLAND_DISPLAY) return false;
  // The program would read anything else as an option or a file.
  if (!/^https?:\/\//.test(url)) return false;
  const options = { env, projectDir, detached: true };
  const child = startProgram(isMacOs ? "open" : "xdg-open", [url], options, "ignore", "ignore", "ignore");
  // The user has the URL.
  child.on("error", () => {});
  child.unref();
  return true;
}
