import { defaultModels, type ProviderName } from "@ikigai/agent/internal";
import type { SettingChange } from "@ikigai/agent/setup";
import { nearestWord } from "@ikigai/system";
import { sanitiseLine } from "../../render/sanitise.ts";
import { askWrapped, printWrapped } from "./menu.ts";

/** How many models are shown. */
const maxShown = 10;

/** Shows a provider's models and asks which one to use; Enter takes the usual one. An empty list allows any name. */
export async function askForModel(
  provider: ProviderName | "ollama",
  names: readonly string[],
): Promise<readonly SettingChange[] | undefined> {
  const usual = provider === "ollama" ? undefined : defaultModels[provider];
  const first = usual !== undefined && (names.length === 0 || names.includes(usual)) ? usual : names[0];
  const shown = listed(names, first);
  if (names.length > 0) printWrapped(`Models: ${shown}`);
  for (;;) {
    const answer = await askWrapped(first === undefined ? "Model: " : `Model [${sanitiseLine(first)}]: `);
    if (answer === undefined) return undefined;
    const name = answer === "" ? first : answer;
    if (name === undefined) {
      printWrapped("Type the name of a model, or Esc for the menu.");
      continue;
    }
    if (names.length === 0 || names.includes(name)) return [{ key: "model", value: `${provider}/${name}` }];
    const nearest = nearestWord(name, names);
    const advice = nearest === undefined ? "" : `\nDid you mean ${sanitiseLine(nearest)}?`;
    printWrapped(`There is no model ${JSON.stringify(sanitiseLine(name))}. The server has: ${shown}${advice}`);
  }
}

/** The first names, beginning with the one that Enter takes. */
function listed(names: readonly string[], first: string | undefined): string {
  const ordered = first === undefined ? names : [first, ...names.filter((name) => name !== first)];
  const more = ordered.length > maxShown ? [`… ${ordered.length - maxShown} more`] : [];
  return [...ordered.slice(0, maxShown).map(sanitiseLine), ...more].join(", ");
}
