import { randomUUID } from "node:crypto";
import { redact } from "@ikigai/agent";
import { callTool } from "@ikigai/core";
import { createCallBlock } from "./blocks/call-block.ts";
import { keepRecord } from "./blocks/call-record.ts";
import { say } from "./say.ts";
import { redraw, type Tui } from "./tui.ts";
import { working } from "./working.ts";

/**
 * Runs what the user typed behind `!`, by the bash tool and without a question. Both the command and what came of it become
 * part of the conversation; behind `!!` they do not.
 */
export async function runShell(typed: string, tui: Tui): Promise<void> {
  const isApart = typed.startsWith("!!");
  const command = typed.slice(isApart ? 2 : 1).trim();
  if (command === "") return say(tui, "Expected a command behind the !, for instance: !git status");
  await working(tui, "running", (signal) => call(tui, command, isApart, signal));
}

async function call(tui: Tui, command: string, isApart: boolean, signal: AbortSignal): Promise<void> {
  const { agent, screen } = tui.session;
  const { places, config, conversation, env, overflowDir, secrets } = agent;
  const callId = `typed-${randomUUID()}`;
  const args = JSON.stringify({ command });
  const { surface, transcript } = tui;
  const block = createCallBlock({ name: "bash", screen, places, withOutput: true, questionRows: () => surface.rows });
  block.called(args);
  transcript.add(block);
  const registry = await agent.toolbox.current();
  block.started(registry.tools.find(({ name }) => name === "bash")?.scope ?? "system");
  redraw(tui);
  const outcome = await callTool(registry, "bash", args, {
    ...config.tools?.bash,
    cwd: places.projectDir,
    projectDir: places.projectDir,
    sessionId: conversation.id,
    callId,
    env,
    overflowDir,
    signal,
    onProgress: (progress) => {
      block.progressed(progress);
      redraw(tui);
    },
  });
  const result = { type: "tool_result", id: callId, name: "bash", ...outcome } as const;
  block.ended(result);
  keepRecord(tui.records, { call: block.shown(), result });
  redraw(tui);
  if (isApart) return;
  const text = redact(`I ran a command myself, by the bash tool:\n${args}\nIts result:\n${outcome.json}`, secrets);
  conversation.log.append({ type: "user", text });
  conversation.messages.push({ role: "user", text });
}
