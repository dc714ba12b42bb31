import { expectedMessage } from "@ikigai/agent/internal";
import { changeSettings, type SettingChange } from "@ikigai/agent/setup";
import { printError } from "../../host/stdout.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import type { CommandContext } from "../command.ts";
import { configWithKeys } from "../keys/login.ts";
import { type Choice, choicesFor } from "./choices.ts";
import { askWrapped, baseUrlProblem, printMenu, printWrapped } from "./menu.ts";

/**
 * Asks which model to use, tests the choice, and writes it to the configuration. Until then nothing is written but a key.
 *
 * @param leaving what Esc does, and other keys, as the question names them.
 * @returns whether a choice was written; not after Esc.
 * @throws AgentError or the system's error when the configuration cannot be written.
 */
export async function runSetup(context: CommandContext, leaving = "Esc to change nothing"): Promise<boolean> {
  const config = configWithKeys(context);
  const choices = await choicesFor({ config, context });
  let last: Choice | undefined;
  for (;;) {
    const chosen = await choose(choices, config.model, { last, leaving });
    if (chosen === undefined) return false;
    last = chosen.choice;
    const settings = await attempt(chosen);
    if (settings === undefined) continue;
    changeSettings(context.places.home, settings);
    const path = shortPath(`${context.places.home}/config.json`, context.places);
    printError(`Saved in ${path}: model = ${sanitiseLine(String(settings[0]?.value))}\n`);
    return true;
  }
}

interface Chosen {
  readonly choice: Choice;
  /** A base URL that was typed instead of a number. */
  readonly url?: string;
}

/** Enter takes the choice that was tried last, so that it can be tried again; else the current one. */
async function choose(
  choices: readonly Choice[],
  model: string | undefined,
  { last, leaving }: { readonly last: Choice | undefined; readonly leaving: string },
): Promise<Chosen | undefined> {
  const current = choices.findIndex(({ provider }) => provider === model?.split("/")[0]);
  const labels = choices.map(({ label }, index) => (index === current ? `${label} (current)` : label));
  printMenu("Which model should ikigai use?", labels);
  const usual = 1 + (last ? choices.indexOf(last) : Math.max(0, current));
  const question = `Number [${usual}], ${leaving}: `;
  const values = choices.map((_, index) => String(index + 1));
  for (;;) {
    const answer = await askWrapped(question, { choices: { values, usual: usual - 1 } });
    if (answer === undefined) return undefined;
    const isUrl = baseUrlProblem(answer) === undefined;
    const choice = isUrl ? choices.find(({ takesUrl }) => takesUrl) : choices[Number(answer || usual) - 1];
    if (choice) return { choice, ...(isUrl && { url: answer }) };
    printWrapped(`Type a number from 1 to ${choices.length}.`);
  }
}

/** Tries a choice. What went wrong is shown, and the user chooses again. */
async function attempt({ choice, url }: Chosen): Promise<readonly SettingChange[] | undefined> {
  try {
    return await choice.settings(url);
  } catch (error) {
    printWrapped(`${sanitise(expectedMessage(error))}\n`);
    return undefined;
  }
}
