// `ikigai completion` prints the script of a shell, and `complete` answers it: what can follow is in position.ts, the values are in values.ts.

import { textStart } from "@ikigai/protocol";
import { sanitiseLine } from "@ikigai/screen";
import { orList } from "@ikigai/system";
import { commands, type Shell, shells } from "../../args/commands.ts";
import { mainOptions } from "../../args/option.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { findPlaces } from "../../host/places/find-places.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printOut } from "../../host/terminal/stdout.ts";
import type { Command } from "../command.ts";
import { type Candidate, findPosition, nextWords, type Offer, type Position } from "./position.ts";
import bash from "./scripts/bash.txt";
import fish from "./scripts/fish.txt";
import zsh from "./scripts/zsh.txt";

const syntax = commands.completion;

/** The scripts run `ikigai __complete` at every Tab, so new commands need no new scripts. */
const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };

export const completion: Command = {
  async run(args) {
    const { operands } = readOptions(args, syntax.options);
    if (operands.length === 0) throw new UsageError(`Name a shell: ${orList(shells)}.`);
    const [shell = ""] = readOperands(operands, syntax);
    if (!isShell(shell)) throw new UsageError(`Expected ${orList(shells)}, got ${JSON.stringify(shell)}.`);
    printOut(scripts[shell]);
    return exitCodes.done;
  },
};

function isShell(word: string): word is Shell {
  return (shells as readonly string[]).includes(word);
}

/** Candidates that no shell expands: servers name models, and shells insert what they are given. */
const plainPattern = /^[\w./:@+=-]+$/;

/** Longest description, in characters; shells show no more. */
const maxDescription = 80;

/**
 * Answers a shell's completion: a line per candidate, its description after a tab, and a last line ":file" or ":directory" if
 * the shell should add paths. Candidates need not begin with the typed text; those that a shell could expand are left out.
 *
 * Runs no tool and contacts no server. Never rejects: completion must not print an error.
 *
 * @param words the words after `ikigai` up to the cursor; the last one is completed, and may be empty.
 */
export async function complete(words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  try {
    const { candidates, paths } = await offer(findPosition(words), env);
    const lines = candidates.filter(({ value }) => plainPattern.test(value)).map(render);
    return [...lines, ...(paths ? [`:${paths}`] : [])].map((line) => `${line}\n`).join("");
  } catch {
    return "";
  }
}

function render({ value, description = "" }: Candidate): string {
  const text = textStart(sanitiseLine(description).replace(/\s+/g, " "), maxDescription).trim();
  return text === "" ? value : `${value}\t${text}`;
}

async function offer(position: Position, env: NodeJS.ProcessEnv): Promise<Offer> {
  switch (position.kind) {
    case "command":
      return { candidates: [...nextWords(position.prefix), ...(position.prefix === "" ? [version] : [])] };
    case "option":
      return { candidates: options(position) };
    case "value": {
      const { candidates, paths } = await values(position.option, position.words, env);
      const { glued } = position;
      return {
        candidates: candidates.map((found) => ({ ...found, value: `${glued}${found.value}` })),
        ...(paths && { paths }),
      };
    }
    case "operand":
      return values(position.operand, position.words, env);
    case "nothing":
      return { candidates: [] };
    default:
      return position satisfies never;
  }
}

const version: Candidate = { value: "version", description: mainOptions.version.summary };

function options({ options: all, given }: Position & { kind: "option" }): Candidate[] {
  return Object.entries(all)
    .filter(([name]) => !given.has(name))
    .map(([name, { summary }]) => ({ value: `--${name}`, description: summary }));
}

async function values(
  {
    oneOf,
    completes,
  }: { readonly oneOf?: readonly string[]; readonly completes?: keyof typeof import("./values.ts").valuesOf },
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Offer> {
  if (oneOf) return { candidates: oneOf.map((value) => ({ value })) };
  if (completes === undefined) return { candidates: [] };
  const { valuesOf } = await import("./values.ts");
  return valuesOf[completes]({ places: findPlaces(env), env, words });
}
