import { IkigaiError } from "@ikigai/core/ikigai-error";
import { slashCommand } from "../../help/slash-command-table.ts";
import { sanitise } from "../../render/sanitise.ts";
import type { Session } from "../session.ts";
import type { Interruptible, SlashCommand } from "../slash-command.ts";
import { draftInstructions } from "./draft-instructions.ts";
import { findInstructionsFile, offerInstructions } from "./instructions-file.ts";

export const init: SlashCommand = {
  ...slashCommand("init"),
  async run(_args, session, interruptible) {
    const { screen, input } = session;
    if (!input.canAsk) return screen.print("Not a terminal: run ikigai init --yes in a shell.\n");
    try {
      await initProject(session, interruptible);
    } catch (error) {
      if (!(error instanceof IkigaiError)) throw error;
      screen.print(`${screen.style.red(sanitise(error.message))}\n`);
    }
  },
};

async function initProject({ agent, model, screen, input }: Session, interruptible: Interruptible): Promise<void> {
  const { projectDir } = agent.places;
  const file = findInstructionsFile(projectDir);
  const show = (line: string) => screen.print(`${line}\n`);
  const content = await interruptible((signal) => draftInstructions(agent, { model, signal, show, look: screen }));
  if (content === undefined) return screen.print(screen.style.yellow("Interrupted. Nothing was written.\n"));
  await offerInstructions(file, content, {
    projectDir,
    look: screen,
    print: screen.print,
    async confirm(question) {
      screen.print(`${screen.style.bold(question)}   y yes   n no   then Enter  `);
      const answer = await input.choose("yn", new AbortController().signal);
      screen.startLine();
      return answer === "y";
    },
  });
}
