// `ikigai tool search`: finds tools in the user's npm registry, and in the registries of the configuration.

import { isatty } from "node:tty";
import { loadConfig } from "@ikigai/agent/internal";
import { textStart } from "@ikigai/protocol";
import { sanitiseLine, wrapWords } from "@ikigai/screen";
import { type FoundPackage, Refusal, searchPackages, searchRegistries } from "@ikigai/tool-packages";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { safeJson } from "../../render/json.ts";
import { age } from "../../render/short-forms.ts";
import { type Command, withRefusals } from "../command.ts";
import { checkWords } from "./add/show-package.ts";

const syntax = commands["tool search"];

/** The longest description that is shown, in characters. */
const maxDescription = 300;

export const toolSearch: Command = {
  run(args, { places, env }) {
    const { flags, operands } = readOptions(args, syntax.options);
    const words = readOperands(operands, syntax);
    return withRefusals(async () => {
      const { registries = {} } = loadConfig(places.home).config;
      const names = Object.keys(registries);
      const [own, npm] = await Promise.all([
        searchRegistries(words, { registries, home: places.home, env }),
        searchPackages(words, env).catch((error: unknown) => {
          if (names.length > 0 && error instanceof Refusal) return error;
          throw error;
        }),
      ]);
      const failed = npm instanceof Refusal;
      for (const problem of [...own.problems, ...(failed ? [npm.message] : [])])
        printError(`${sanitiseLine(problem)}\n`);
      const found = [...own.found, ...(failed ? [] : npm.found)];
      if (flags.has("json")) printOut(`${safeJson(JSON.stringify(found.map(toJson)))}\n`);
      else if (found.length > 0) printOut(renderSearch(found));
      if (found.length > 0) return exitCodes.done;
      const searched = [...names, ...(failed ? [] : [npm.registry])].join(", ");
      printError(`${sanitiseLine(nothingFound(searched, words))}\n`);
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

function renderSearch(found: readonly FoundPackage[]): string {
  return `${found.map(renderPackage).join("")}\nTo see what one has, and add it: ikigai tool add ${found[0]?.name ?? ""}\n`;
}

function renderPackage({ name, version, description, ...facts }: FoundPackage): string {
  const shown = sanitiseLine(textStart(description, maxDescription));
  const text = shown === "" ? "" : `  ${wrapWords(shown, plainWidth()).replaceAll("\n", "\n  ")}\n`;
  return `${[sanitiseLine(`${name} ${version}`.trimEnd()), ...renderFacts(facts)].join("  ")}\n${text}`;
}

function plainWidth(): number {
  return Math.max(20, (isatty(1) ? process.stdout.columns : 80) - 4);
}

function renderFacts({ weeklyDownloads, published, passesCheck }: Partial<FoundPackage>): string[] {
  return [
    ...(weeklyDownloads === undefined ? [] : [`${weeklyDownloads.toLocaleString("en")} downloads a week`]),
    ...(published === undefined ? [] : [age(published)]),
    ...(passesCheck === undefined ? [] : [checkWords(passesCheck)]),
  ];
}

function nothingFound(searched: string, words: readonly string[]): string {
  if (words.length === 0)
    return `No package with the keyword ikigai-tool in ${searched}. To write a tool: ikigai tool new NAME`;
  return `No tool in ${searched} matches ${JSON.stringify(words.join(" "))}. Try fewer words, or list all: ikigai tool search. To write one: ikigai tool new NAME`;
}
