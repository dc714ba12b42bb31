// `ikigai tool search`: finds tools in the user's npm registry.

import { isatty } from "node:tty";
import { textStart } from "@ikigai/protocol";
import { sanitiseLine, wrapWords } from "@ikigai/screen";
import { type FoundPackage, type Search, searchPackages } from "@ikigai/tool-packages";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { safeJson } from "../../render/json.ts";
import { age } from "../../render/short-forms.ts";
import { type Command, withRefusals } from "../command.ts";

const syntax = commands["tool search"];

/** The longest description that is shown, in characters. */
const maxDescription = 300;

export const toolSearch: Command = {
  run(args, { env }) {
    const { flags, operands } = readOptions(args, syntax.options);
    const words = readOperands(operands, syntax);
    return withRefusals(async () => {
      const search = await searchPackages(words, env);
      if (flags.has("json")) printOut(`${safeJson(JSON.stringify(search.found.map(toJson)))}\n`);
      else if (search.found.length > 0) printOut(renderSearch(search));
      if (search.found.length > 0) return exitCodes.done;
      printError(`${sanitiseLine(nothingFound(search, words))}\n`);
      return exitCodes.failed;
    });
  },
};

function toJson({ name, version, description, weeklyDownloads, published, passesCheck }: FoundPackage) {
  return {
    name,
    version,
    description,
    weekly_downloads: weeklyDownloads ?? null,
    published: published?.toISOString() ?? null,
    passes_check: passesCheck ?? null,
  };
}

function renderSearch({ found }: Search): string {
  return `${found.map(renderPackage).join("")}\nTo see what one has, and add it: ikigai tool add ${found[0]?.name ?? ""}\n`;
}

function renderPackage({ name, version, description, ...facts }: FoundPackage): string {
  const shown = sanitiseLine(textStart(description, maxDescription));
  const text = shown === "" ? "" : `  ${wrapWords(shown, textWidth()).replaceAll("\n", "\n  ")}\n`;
  return `${[sanitiseLine(`${name} ${version}`), ...renderFacts(facts)].join("  ")}\n${text}`;
}

function textWidth(): number {
  return Math.max(20, (isatty(1) ? process.stdout.columns : 80) - 4);
}

function renderFacts({ weeklyDownloads, published, passesCheck }: Partial<FoundPackage>): string[] {
  return [
    ...(weeklyDownloads === undefined ? [] : [`${weeklyDownloads.toLocaleString("en")} downloads a week`]),
    ...(published === undefined ? [] : [age(published)]),
    ...(passesCheck === undefined ? [] : [`${passesCheck ? "passes" : "fails"} tool check, its author says`]),
  ];
}

function nothingFound({ registry }: Search, words: readonly string[]): string {
  if (words.length === 0)
    return `The registry ${registry} has no package with the keyword ikigai-tool. To write a tool: ikigai tool new NAME`;
  return `No tool in ${registry} matches ${JSON.stringify(words.join(" "))}. Try fewer words, or list all: ikigai tool search. To write one: ikigai tool new NAME`;
}
