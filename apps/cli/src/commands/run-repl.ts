// `ikigai`: begins a conversation. In reading order: one task for piped input, the setup at a first start, the face (full screen or lines), the
// model, and words that were meant as a command.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isatty } from "node:tty";
import type { Places } from "@ikigai/agent/internal";
import type { Model } from "@ikigai/models";
import { terminalKind } from "@ikigai/screen";
import { nearestWord } from "@ikigai/system";
import { firstWords } from "../args/commands.ts";
import type { Invocation, SessionFlags } from "../args/parse-argv.ts";
import { UsageError } from "../args/usage-error.ts";
import {
  type Agent,
  agentWithServers,
  loadServers,
  serversOf,
  worktreeOf,
} from "../host/conversation/agent-from-flags.ts";
import { requireSandbox } from "../host/conversation/command-tools.ts";
import { sayAtExit } from "../host/conversation/open-notices.ts";
import { chooseModel, choosePlanModel, missingModel } from "../host/model/choose-model.ts";
import { findPlaces } from "../host/places/find-places.ts";
import { importNotice } from "../host/places/other-agents.ts";
import type { SessionWorktree } from "../host/places/session-worktree.ts";
import { createLineOutput } from "../render/line-output.ts";
import { requireRules } from "../render/tool/report-tools.ts";
import { showFirstFrame } from "../tui/first-frame.ts";

/**
 * Runs the REPL: full screen on terminals that support it; lines on others, with --plain, and if the output is piped. Without a
 * terminal on stdin, does one task like -p. Returns the exit code.
 *
 * @throws UsageError for an invalid rule, an unknown session or a mistyped command.
 */
export async function runRepl(invocation: Extract<Invocation, { kind: "repl" }>): Promise<number> {
  const { flags: given, message } = invocation;
  if (!invocation.isMessage) await refuseCommand(message);
  // What is piped is data: one prompt, in which no line is a command.
  if (!isatty(0) && given.session !== "pick")
    return (await import("../print/run-print.ts")).runPrint({
      kind: "print",
      prompt: message,
      format: "text",
      flags: given,
    });
  const places = findPlaces(process.env);
  // The setup makes the user's directory.
  const notice = importNotice(places, process.env);
  if (isFirstStart(given, places)) {
    const { offerSetup } = await import("./setup/setup.ts");
    await offerSetup({ places, env: process.env }, given.permissionMode);
  }
  const worktree = await worktreeOf(given);
  try {
    return await converse(message, { flags: worktree?.flags ?? given, notices: notice ? [notice] : [] }, worktree);
  } catch (error) {
    await worktree?.leave(true);
    throw error;
  }
}

async function converse(
  message: string,
  { flags, notices }: { readonly flags: SessionFlags; readonly notices: readonly string[] },
  worktree?: SessionWorktree,
): Promise<number> {
  const agent = await agentWithServers(await serversOf(flags), flags, { isConversation: true, notices });
  await requireSandbox(agent.rules, agent.places, agent.env);
  await requireRules(agent);
  loadServers(agent);
  const kind = terminalKind(process.env, { isTerminal: isatty(0) && isatty(1) });
  const isFull = kind.isFull && !flags.isPlain && (!kind.isAscii || agent.config.screen?.full === true);
  if (!isFull && flags.session === "pick") return (await import("../lines/run-lines.ts")).listForResume(agent);
  const model = await modelFor(agent, flags, kind.isTerminal);
  const screen = createLineOutput(kind);
  if (isFull) {
    const first = showFirstFrame({ agent, model, screen, kind, hasPrompt: flags.session !== "pick" });
    const { runTui } = await import("../tui/run-tui.ts");
    const start = { session: flags.session, namesModel: flags.model !== undefined, closes: worktree !== undefined };
    return withEnd(agent, await runTui(agent, model, { ...start, message }, first), worktree);
  }
  const { runLines } = await import("../lines/run-lines.ts");
  return withEnd(agent, await runLines(agent, model, { kind, screen, message }), worktree);
}

/** Gives the hooks for the end of the session their whole time, unlike an exit by a signal. */
async function withEnd(agent: Agent, exitCode: number, worktree?: SessionWorktree): Promise<number> {
  await agent.endSession("prompt_input_exit", sayAtExit);
  if (worktree) {
    await agent.stop();
    await worktree.leave(true);
  }
  return exitCode;
}

/** Whether a user at a terminal starts the first conversation in this home, without naming a model. */
function isFirstStart({ model, session }: SessionFlags, { home }: Pick<Places, "home">): boolean {
  if (model !== undefined || session !== undefined || ![0, 1, 2].every(isatty)) return false;
  try {
    const sessions = join(home, "sessions");
    return !existsSync(sessions) || readdirSync(sessions).length === 0;
  } catch {
    return false;
  }
}

/**
 * The model to talk to. On a terminal without --model, the user may still choose one later.
 *
 * @throws ModelError if no model can be used.
 */
async function modelFor(agent: Agent, flags: SessionFlags, isTerminal: boolean): Promise<Model> {
  const chosen = await chooseModel(agent, flags.model, { offlineWithoutModel: isTerminal });
  await choosePlanModel(agent, flags.model);
  if ("model" in chosen) {
    if (chosen.notice !== undefined) agent.notices = [...agent.notices, chosen.notice];
    return chosen.model;
  }
  if (isTerminal && flags.model === undefined) return missingModel(chosen.error.message);
  throw chosen.error;
}

/** Largest share of a command's letters that may differ: "hello" is not "help". */
const maxDifference = 0.25;

/**
 * Refuses a message of one word that is a command of another agent, or nearly one of theirs or ours.
 *
 * @throws UsageError with the command.
 */
async function refuseCommand(word: string): Promise<void> {
  if (!/^[a-z-]+$/.test(word)) return;
  const { otherAnswer, otherWords } = await import("../help/other-agents.ts");
  const commands = [...firstWords, ...otherWords.filter((known) => /^[a-z]/.test(known))];
  const meant = nearestWord(word, commands, maxDifference);
  if (meant === undefined) return;
  const advice = `Did you mean ${meant}?`;
  const toModel = `To send it to the model: ikigai -- ${word}`;
  throw new UsageError(
    `No command ${JSON.stringify(word)}. ${otherAnswer(meant)?.replace(/\.?$/, ".") ?? advice} ${toModel}`,
  );
}
