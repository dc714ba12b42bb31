// `ikigai config edit`: the user's editor on a copy of the configuration, until it is valid or given up.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { configPath, readConfig, renderConfigProblem } from "@ikigai/agent/internal";
import { configText, replaceConfigText } from "@ikigai/agent/setup";
import { expectedMessage } from "@ikigai/models";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { startProgram, writePrivateFile } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { askForChoice, canAsk } from "../../host/terminal/ask-person.ts";
import { exitCodes, onInterrupt } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { editorCommand, editorFailure } from "../../host/terminal/users-editor.ts";
import { shortPath } from "../../render/short-forms.ts";
import { type Command, type CommandContext, withRefusals } from "../command.ts";
import { configProblems, warnOfRules } from "./setting-problems.ts";

const syntax = commands["config edit"];

/** Edits a copy, which replaces the configuration when it is valid. A text that is not saved stays in the copy. */
export const configEdit: Command = {
  async run(args, context) {
    readOperands(readOptions(args, syntax.options).operands, syntax);
    if (!canAsk()) {
      const path = sanitiseLine(configPath(context.places.home));
      throw new UsageError(`Not a terminal: use ikigai config set KEY VALUE, or edit ${path} and run ikigai doctor.`);
    }
    return withRefusals(async () => {
      const { isSaved, exitCode } = await edit(context);
      if (isSaved) await warnOfRules(context);
      return exitCode;
    });
  },
};

async function edit(context: CommandContext): Promise<EditEnd> {
  const { home } = context.places;
  const before = configText(home);
  const copy = join(home, `ikigai-tmp.${process.pid}.config.json`);
  writePrivateFile(copy, before);
  const end = await editUntilValid(copy, before, context);
  if (end.isCopyNeeded) printError(`ikigai: Not saved. Your text is in ${sanitiseLine(copy)}\n`);
  else rmSync(copy, { force: true });
  return end;
}

interface EditEnd {
  readonly exitCode: number;
  /** It holds a text that is nowhere else. */
  readonly isCopyNeeded: boolean;
  readonly isSaved: boolean;
}

const saved: EditEnd = { exitCode: exitCodes.done, isCopyNeeded: false, isSaved: true };
const notSaved: EditEnd = { exitCode: exitCodes.failed, isCopyNeeded: true, isSaved: false };

async function editUntilValid(copy: string, before: string, context: CommandContext): Promise<EditEnd> {
  for (;;) {
    const exitCode = await runEditor(copy, context);
    const failure = sanitiseLine(editorFailure(context.env, exitCode));
    const text = existsSync(copy) ? readFileSync(copy, "utf8") : before;
    if (text === before) {
      printOut(`Nothing was changed.${exitCode === 0 ? "" : ` ${failure}`}\n`);
      return { exitCode: exitCode === 0 ? exitCodes.done : exitCodes.failed, isCopyNeeded: false, isSaved: false };
    }
    if (exitCode !== 0) {
      printError(`ikigai: ${failure}\n`);
      return notSaved;
    }
    const choice = await chooseNext(copy, text, context);
    if (choice === "quit") return notSaved;
    if (choice === "edit") continue;
    return save(text, before, context.places.home);
  }

  function save(after: string, old: string, home: string): EditEnd {
    try {
      replaceConfigText(home, old, after);
    } catch (error) {
      printError(`ikigai: ${sanitise(expectedMessage(error))}\n`);
      return notSaved;
    }
    printOut(`Saved: ${shortPath(configPath(home), context.places)}\n`);
    return saved;
  }
}

/** What to do with a text: save it if nothing is wrong with it, else what the user says. Problems name the configuration. */
async function chooseNext(copy: string, text: string, context: CommandContext): Promise<"save" | "edit" | "quit"> {
  const path = configPath(context.places.home);
  const checked = readConfig(context.places.home, text);
  const unusable = await configProblems(checked.config, context);
  const problems = [...checked.problems, ...unusable.map((problem) => ({ ...problem, path, isFatal: false }))];
  if (problems.length === 0) return "save";
  for (const problem of problems) printError(`${sanitise(renderConfigProblem(problem))}\n`);
  // With such a problem no command that runs a tool or a model would start.
  const maySave = problems.every(({ isFatal }) => !isFatal);
  const question = maySave
    ? "e edit again, s save anyway, q quit without saving: "
    : "e edit again, q quit without saving: ";
  for (;;) {
    const answer = await askForChoice(question, `Not saved. Your text is in ${sanitiseLine(copy)}`);
    if (answer === undefined || answer === "q") return "quit";
    if (answer === "e") return "edit";
    if (maySave && answer === "s") return "save";
  }
}

/** What a shell adds to the number of a signal, and exits with when it cannot run a command. */
const signalCode = 128;
const shellError = 127;

/**
 * Opens a file in the editor that `VISUAL` or `EDITOR` names, and waits until it is closed. Ctrl-C is the editor's meanwhile.
 * No program of the project is taken for the editor.
 *
 * @returns the editor's exit code; 128 and more for a signal.
 */
async function runEditor(path: string, { env, places }: CommandContext): Promise<number> {
  const resume = onInterrupt(() => {});
  try {
    // The variables hold a command with its arguments.
    const args = ["-c", `${editorCommand(env)} "$1"`, "sh", path];
    const { projectDir } = places;
    const child = startProgram("/bin/sh", args, { env, projectDir }, "inherit", "inherit", "inherit");
    return await new Promise<number>((settle) => {
      child.once("error", () => settle(shellError));
      child.once("exit", (code, signal) => settle(code ?? signalCode + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    resume();
  }
}
