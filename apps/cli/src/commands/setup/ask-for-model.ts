import { defaultModels, type ProviderName } from "@ikigai/agent/internal";
import type { SettingChange } from "@ikigai/agent/setup";
import { nearestWord } from "@ikigai/system";
import { sanitiseLine } from "../../render/sanitise.ts";
import { askWrapped, printMenu, printWrapped, toMenu } from "./menu.ts";

/** How many models are shown. */
const maxShown = 10;

/**
 * Shows a provider's models and asks which one to use, by its number or name; Enter takes the current one, else the usual one, else
 * the first. An empty list allows any name.
 *
 * @param current the configured model, of any provider.
 */
export async function askForModel(
  provider: ProviderName | "ollama",
  names: readonly string[],
  current: string | undefined,
): Promise<readonly SettingChange[] | undefined> {
  const own = current?.startsWith(`${provider}/`) ? current.slice(provider.length + 1) : undefined;
  const usual = provider === "ollama" ? undefined : defaultModels[provider];
  const wanted = [own, usual].filter((name) => name !== undefined);
  const first = wanted.find((name) => names.length === 0 || names.includes(name)) ?? names[0];
  const ordered = first === undefined ? names : [first, ...names.filter((name) => name !== first)];
  const shown = ordered.slice(0, maxShown);
  const more = ordered.length > maxShown ? [`… ${ordered.length - maxShown} more`] : [];
  const [missing] = wanted;
  if (missing !== undefined && names.length > 0 && !names.includes(missing))
    printWrapped(`${sanitiseLine(missing)}, the ${own ? "current" : "usual"} model, is not in the server's list.`);
  if (names.length > 0) printMenu("Models:", shown.map(sanitiseLine));
  else printWrapped("The server has listed no models, so the name is not tested.");
  if (more.length > 0) printWrapped(`${more[0]}, by name`);
  for (;;) {
    const question = `Model${first === undefined ? "" : ` [${sanitiseLine(first)}]`}${toMenu}: `;
    const answer = await askWrapped(question, {
      choices: { values: shown.map((_, index) => String(index + 1)), usual: 0 },
    });
    if (answer === undefined) return undefined;
    const name = answer === "" ? first : named(answer, names, shown);
    if (name === undefined) {
      printWrapped("Type the name of a model.");
      continue;
    }
    if (names.length === 0 || names.includes(name)) return [{ key: "model", value: `${provider}/${name}` }];
    const nearest = nearestWord(name, names);
    const advice = nearest === undefined ? "" : `\nDid you mean ${sanitiseLine(nearest)}?`;
    printWrapped(
      `The server has no model ${JSON.stringify(sanitiseLine(name))}. It has: ${[...shown.map(sanitiseLine), ...more].join(", ")}${advice}`,
    );
  }
}

/** The model that an answer means: its name, or its number among those shown. */
function named(answer: string, names: readonly string[], shown: readonly string[]): string {
  return names.includes(answer) ? answer : (shown[Number(answer) - 1] ?? answer);
}
