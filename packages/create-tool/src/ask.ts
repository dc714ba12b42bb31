// Asks on a terminal for what the command line does not say, and finds the programs that a language needs.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { languages } from "./languages.ts";
import { type LanguageName, languageNames, readName, type ToolNames } from "./names.ts";

/** A terminal to ask questions on. */
export interface Dialog {
  /** Prints a question and reads one line, trimmed; `undefined` at the end of the input. */
  ask(question: string): Promise<string | undefined>;
  /** Prints a line. */
  say(line: string): void;
}

/** A question has no answer: the input has ended. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** The language of an empty answer. */
const usualLanguage: LanguageName = "typescript";

/** Without a suggestion. */
const nameQuestion = "Name of the tool, for example weather";

/** The answer to an empty name. */
const nameExplained =
  "Type a name: up to 64 lowercase letters, digits and hyphens, starting with a letter, for example weather.";

/**
 * Asks for a text; an empty answer means `usual`, if there is one.
 *
 * @throws NoAnswer at the end of the input.
 */
export async function askText({ ask }: Dialog, question: string, usual = ""): Promise<string> {
  const answer = await ask(usual === "" ? `${question}: ` : `${question} (${usual}): `);
  if (answer === undefined) throw new NoAnswer("The input has ended.");
  return answer === "" ? usual : answer;
}

/**
 * Asks for the name of a new tool, unless `wanted` is a valid one, and suggests a valid form of an invalid one.
 *
 * @throws NoAnswer at the end of the input.
 */
export async function askName(dialog: Dialog, wanted?: string): Promise<ToolNames> {
  let answer = wanted;
  let suggestion: string | undefined;
  for (;;) {
    answer ??= await askText(dialog, suggestion === undefined ? nameQuestion : "Name of the tool", suggestion);
    const names = readName(answer);
    if (!("problem" in names)) return names;
    dialog.say(answer === "" ? nameExplained : names.problem);
    suggestion = names.suggestion;
    answer = undefined;
  }
}

/**
 * Asks for the language of a new tool, by its number or its name. Says which ones need a program that is not installed.
 *
 * @throws NoAnswer at the end of the input.
 */
export async function askLanguage(dialog: Dialog, env: NodeJS.ProcessEnv): Promise<LanguageName> {
  dialog.say("Language:");
  const width = Math.max(...languageNames.map((name) => name.length));
  for (const [index, name] of languageNames.entries()) {
    const missing = missingPrograms(languages[name].needs, env);
    const note = missing.length > 0 ? `not installed: ${missing.join(", ")}` : "";
    dialog.say(`  ${index + 1}  ${name.padEnd(width)}  ${note}`.trimEnd());
  }
  for (;;) {
    const answer = (await askText(dialog, "Language", usualLanguage)).toLowerCase();
    const chosen = languageNames.find((name, index) => name === answer || String(index + 1) === answer);
    if (chosen !== undefined) return chosen;
    dialog.say(`Type a number from 1 to ${languageNames.length}, or a name.`);
  }
}

/**
 * Asks a question whose default is no, until the answer is clear.
 *
 * @throws NoAnswer at the end of the input.
 */
export async function askYesNo(dialog: Dialog, question: string): Promise<boolean> {
  for (;;) {
    const answer = (await askText(dialog, `${question} (y/N)`)).toLowerCase();
    if (answer === "y" || answer === "yes") return true;
    if (answer === "" || answer === "n" || answer === "no") return false;
    dialog.say("Type y or n.");
  }
}

/** Those of these programs that are not on the PATH. Never throws. */
export function missingPrograms(programs: readonly string[], { PATH = "" }: NodeJS.ProcessEnv): string[] {
  const directories = PATH.split(delimiter);
  return programs.filter((program) => !directories.some((directory) => isExecutable(join(directory, program))));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
