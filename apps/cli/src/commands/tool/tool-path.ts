// `ikigai tool path`: makes the user's and the project's tools commands of the user's own shell. One directory has a link for each, all to
// one script, which calls the tool that has this name where it runs: trust, overrides and the configuration count as in `ikigai tool call`.

import { chmodSync, lstatSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { isatty } from "node:tty";
import type { RegisteredTool } from "@ikigai/core";
import { isReader } from "@ikigai/permission";
import { sanitiseLine } from "@ikigai/screen";
import { makePrivateDirectory, programFinder, shellWord } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { openCommandTools } from "../../host/conversation/command-tools.ts";
import { binPath, commandsOfUser } from "../../host/places/own-paths.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { type Command, withRefusals } from "../command.ts";

const syntax = commands["tool path"];

export const toolPath: Command = {
  run(args, { places, env }) {
    const { operands } = readOptions(args, syntax.options);
    readOperands(operands, syntax);
    return withRefusals(async () => {
      const directory = commandsOfUser(places.home);
      const { tools } = await openCommandTools(places, env).last();
      const others = (env.PATH ?? "").split(delimiter).filter((path) => path !== directory);
      const findProgram = programFinder(others.join(delimiter), places.projectDir);
      const isFree = (name: string) => !isReader(name) && findProgram(name) === undefined;
      const names = [...new Set(tools.flatMap(namesOf))];
      makePrivateDirectory(directory);
      write(directory, new Set(names.filter(isFree)));
      // The start-up file of a shell has no one who reads this.
      if (isatty(1))
        printError(
          written(
            names.filter(isFree),
            names.filter((name) => !isFree(name)),
          ),
        );
      // Last: it replaces no program.
      printOut(`export PATH="$PATH":${shellWord(directory)}\n`);
      return exitCodes.done;
    });
  },
};

/** Lists the commands, and the names that other programs have. */
function written(free: readonly string[], taken: readonly string[]): string {
  const list = (names: readonly string[]) => sanitiseLine(names.join(", "));
  const commands = free.length === 0 ? "No tools to make commands of.\n" : `Commands: ${list(free)}\n`;
  return `${commands}${taken.length === 0 ? "" : `Not commands, because programs have these names: ${list(taken)}\n`}`;
}

/** The names of a tool as a command: as the model writes it, and as its file is written. */
function namesOf({ name, path, scope }: RegisteredTool): string[] {
  if (scope === "system") return [];
  const file = basename(path).slice(0, -"-tool".length);
  return file.replaceAll("-", "_") === name ? [name, file] : [name];
}

const script = ".call-tool";

/** Each step replaces one name: a shell that looks for a command meanwhile finds the old or the new one. */
function write(directory: string, names: ReadonlySet<string>): void {
  const fresh = join(directory, `${script}.${process.pid}`);
  writeFileSync(fresh, callScript());
  chmodSync(fresh, 0o700);
  renameSync(fresh, join(directory, script));
  const present = readdirSync(directory).filter((name) => lstatSync(join(directory, name)).isSymbolicLink());
  for (const name of present) if (!names.has(name)) rmSync(join(directory, name), { force: true });
  for (const name of names) if (!present.includes(name)) symlinkSync(script, join(directory, name));
}

/** A hyphen in the name of a file is an underscore in the name of its tool. */
function callScript(): string {
  const call = [process.execPath, binPath].map((word) => shellWord(word)).join(" ");
  return `#!/bin/sh
name=\${0##*/}
while :; do
  case $name in *-*) name=\${name%%-*}_\${name#*-} ;; *) break ;; esac
done
exec ${call} tool call "$name" --result "$@"
`;
}
