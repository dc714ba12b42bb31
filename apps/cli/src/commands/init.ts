// `ikigai init`: writes an AGENTS.md, shown first and written after a yes. What it contains is drafted by session/commands/init.ts, as for
// /init.

import { isatty } from "node:tty";
import { IkigaiError } from "@ikigai/core/errors";
import type { Model } from "@ikigai/models";
import { sanitise, terminalKind } from "@ikigai/screen";
import { commands } from "../args/commands.ts";
import { readModelName } from "../args/parse-argv.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { type Agent, agentFromFlags } from "../host/conversation/agent-from-flags.ts";
import { requireSandbox } from "../host/conversation/command-tools.ts";
import { chooseModel } from "../host/model/choose-model.ts";
import { canAsk, confirm, nobodyToAsk } from "../host/terminal/ask-person.ts";
import { exitCodes, untilExit } from "../host/terminal/exit.ts";
import { printError } from "../host/terminal/stdout.ts";
import { createLineOutput, type LineOutput } from "../render/line-output.ts";
import { reportSkipped } from "../render/tool/report-tools.ts";
import {
  draftInstructions,
  findInstructionsFile,
  type InstructionsFile,
  instructionsName,
  offerInstructions,
} from "../session/commands/init.ts";
import type { Command } from "./command.ts";

const syntax = commands.init;

/** What to do without a terminal, and without a language model if none is named. */
const unasked = `pass --yes to write ${instructionsName}, or --dry-run to print it.`;
const unnamed = " Without a language model, add --model offline.";
const offlineAdvice = `To write ${instructionsName} without a language model, from the build files: ikigai init --model offline`;

/** Writes AGENTS.md for a project: shown first, written after a yes. */
export const init: Command = {
  async run(args, { env }) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    readOperands(operands, syntax);
    const [isAllowed, isDryRun] = [flags.has("yes"), flags.has("dry-run")];
    // Before the model costs anything.
    const wanted = readModelName(values.model?.[0]);
    if (!isAllowed && !isDryRun && !canAsk()) throw nobodyToAsk(wanted === undefined ? unasked + unnamed : unasked);
    const agent = await agentFromFlags({ allow: [], ...(wanted !== undefined && { model: wanted }) }, env);
    await requireSandbox(agent.rules, agent.places, agent.env);
    const { projectDir } = agent.places;
    const file = findInstructionsFile(projectDir);
    const chosen = await chooseModel(agent, wanted, { offlineAdvice });
    if ("error" in chosen) throw chosen.error;
    for (const notice of agent.notices) printError(`${sanitise(notice)}\n`);
    reportSkipped(await agent.toolbox.last());
    const screen = createLineOutput(terminalKind(agent.env, { isTerminal: isatty(1) }));
    const content = await draft(agent, chosen.model, screen);
    if (content === undefined) return exitCodes.interrupted;
    const end = await offerInstructions(file, content, {
      projectDir,
      look: screen,
      print: screen.print,
      ...(!isDryRun && { confirm: isAllowed ? confirmed(file, chosen.model) : confirm }),
    });
    return end === "declined" ? exitCodes.failed : exitCodes.done;
  },
};

/**
 * The answer of --yes: a yes, unless the summary that is made without a model would replace what a person wrote.
 *
 * @throws IkigaiError `not_written` when that cannot be asked.
 */
function confirmed({ before }: InstructionsFile, model: Model): typeof confirm {
  if (before === undefined || !model.id.startsWith("offline/")) return async () => true;
  return async (question) => {
    if (canAsk()) return confirm(question);
    throw new IkigaiError(
      "not_written",
      `${instructionsName} exists. Without a language model ikigai cannot keep its content, so --yes does not replace it. ` +
        "Run ikigai init on a terminal, or with --model PROVIDER/MODEL.",
    );
  };
}

/** What the model reads meanwhile goes to stderr. */
async function draft(agent: Agent, model: Model, look: LineOutput): Promise<string | undefined> {
  const show = (line: string) => printError(`${line}\n`);
  return untilExit((signal) => draftInstructions(agent, { model, signal, show, look }));
}
