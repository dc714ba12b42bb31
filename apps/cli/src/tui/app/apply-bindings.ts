import { existsSync } from "node:fs";
import { join } from "node:path";
import { sanitise } from "../../render/sanitise.ts";
import { defaultBindings, editorBindings } from "../components/key-bindings.ts";
import { say, type Tui } from "./tui.ts";

/** Applies the user's `keys.json`, and says what is wrong with it. Without the file, nothing is loaded. */
export async function applyBindings(tui: Tui): Promise<void> {
  const { home } = tui.session.agent.places;
  if (!existsSync(join(home, "keys.json"))) {
    if (tui.bindings !== defaultBindings) use(tui, defaultBindings);
    return;
  }
  const { loadBindings } = await import("./load-bindings.ts");
  const { bindings, problems } = loadBindings(home);
  use(tui, bindings);
  for (const problem of problems) say(tui, tui.theme.style.yellow(sanitise(problem)));
}

function use(tui: Tui, bindings: Tui["bindings"]): void {
  tui.setBindings(bindings);
  tui.editor.bind(editorBindings(bindings));
}
