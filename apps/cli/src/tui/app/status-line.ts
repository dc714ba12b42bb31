import { contextSize } from "@ikigai/agent/internal";
import { sanitiseLine, withoutLooks } from "../../render/sanitise.ts";
import { runBeside } from "./run-beside.ts";
import type { Tui } from "./tui.ts";

/** How long the command may take, in milliseconds. */
const timeoutMs = 2_000;

const runs = new WeakMap<Tui, { isRunning: boolean; isDue: boolean }>();

/**
 * Runs the command of `screen.status` and shows its first line. It gets facts about the session as JSON on stdin. One runs at a time:
 * if it is wanted again meanwhile, it runs once more afterwards.
 */
export async function updateStatus(tui: Tui): Promise<void> {
  const command = tui.session.agent.config.screen?.status;
  if (command === undefined) return;
  const run = runs.get(tui) ?? { isRunning: false, isDue: false };
  runs.set(tui, run);
  if (run.isRunning) {
    run.isDue = true;
    return;
  }
  run.isRunning = true;
  do {
    run.isDue = false;
    const { exitCode, output } = await runBeside(tui, command, { input: `${JSON.stringify(facts(tui))}\n`, timeoutMs });
    tui.setStatus(exitCode === 0 ? sanitiseLine(withoutLooks(output.split("\n")[0] ?? "")) : undefined);
    if (exitCode !== 0) tui.showHint(`The command of screen.status failed or took longer than ${timeoutMs} ms.`);
  } while (run.isDue);
  run.isRunning = false;
}

/** What the command gets. */
function facts({ session, branch, context }: Tui) {
  const { agent, model } = session;
  const { conversation, places, permission } = agent;
  const { inputTokens, outputTokens } = conversation.usage;
  const known = agent.models.of(model.id);
  return {
    session: conversation.id,
    directory: places.projectDir,
    branch,
    model: model.id,
    mode: permission.mode,
    tokens: { input: inputTokens, output: outputTokens },
    context: { tokens: contextSize(conversation, context), window: known?.contextWindow },
    cost: known?.cost(conversation.usage),
  };
}
