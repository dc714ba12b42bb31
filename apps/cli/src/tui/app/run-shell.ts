import { randomUUID } from "node:crypto";
import { progressWithoutSecrets, runTypedCall, withoutSecrets } from "@ikigai/agent/internal";
import { callTool } from "@ikigai/core";
import { standardShell } from "@ikigai/system";
import { typedArguments, typedCallOptions, typedCommand, wantsTerminal } from "../../session/typed-call.ts";
import { createCallBlock } from "../components/call-block.ts";
import type { Progress } from "../components/render-call-block.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { say, type Tui } from "./tui.ts";
import { noteResult } from "./watch-running.ts";
import { working } from "./working.ts";

/**
 * Runs the command that the user typed after `!` with the bash tool, without asking. The command and its result become part
 * of the conversation. After `!!` they do not, and the command gets the terminal, as do interactive programs after `!`.
 */
export async function runShell(typed: string, tui: Tui): Promise<void> {
  const { command, isApart } = typedCommand(typed);
  if (command === "") return say(tui, "Missing command after !, for example: !git status");
  await working(tui, "running", (signal) => call(tui, typedArguments(command), isApart, signal));
  if (/^cd(?:\s[^;&|]*)?$/.test(command))
    say(tui, "cd counts for this command only. To work in another directory, start ikigai there.");
}

async function call(
  tui: Tui,
  args: ReturnType<typeof typedArguments>,
  isApart: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { agent, screen } = tui.session;
  const { places, rules, conversation, secrets } = agent;
  const callId = `typed-${randomUUID()}`;
  const typed = { name: "bash", arguments: JSON.stringify(args) };
  const { transcript } = tui;
  const block = createCallBlock({
    name: "bash",
    screen,
    theme: () => tui.theme,
    places,
    withOutput: true,
    typed: isApart ? "!!" : "!",
    changed: tui.redraw,
  });
  block.called(typed.arguments);
  transcript.add(block);
  const registry = await agent.toolbox.current();
  await agent.commands.write();
  const { scope = "system", shell } = registry.tools.find(({ name }) => name === "bash") ?? {};
  block.started(scope);
  tui.setActivity("running", true);
  const isOurs = scope === "system" && !rules.settingsFor("bash").sandbox && !rules.launchers.bash;
  if (isOurs && !args.background && (isApart || wantsTerminal(args.command))) {
    const bash = shell ?? standardShell(agent.env.PATH, places.projectDir);
    return runInTerminal(tui, { block, command: args.command, shell: bash, callId, typed, isApart });
  }
  const options = {
    ...typedCallOptions(agent, { callId, tool: "bash", signal }),
    onProgress: (progress: Progress) => {
      block.progressed(progressWithoutSecrets(progress, secrets));
    },
  };
  const outcome = isApart
    ? await withoutSecrets(await callTool(registry, typed.name, typed.arguments, options), secrets)
    : await runTypedCall(conversation, typed, registry, { ...options, secrets });
  const result = { type: "tool_result", id: callId, name: "bash", ...outcome } as const;
  block.ended(result);
  tui.addRecord({ ...block.recorded(), result });
  // /jobs reads the session, which does not have it.
  if (!isApart) noteResult(tui, result, typed.arguments);
}
