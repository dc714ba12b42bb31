// What happens with a submitted text: a slash command, a shell command after !, or a message that begins a turn.

import { randomUUID } from "node:crypto";
import {
  endsPlan,
  progressWithoutSecrets,
  runTypedCall,
  type TurnEnd,
  takeTurn,
  type UserInput,
  withoutSecrets,
} from "@ikigai/agent/internal";
import { callTool } from "@ikigai/core";
import type { YesOrNo } from "@ikigai/permission";
import { sanitise } from "@ikigai/screen";
import { redact, standardShell } from "@ikigai/system";
import { remember } from "../../host/history.ts";
import { endAdvice } from "../../render/failures.ts";
import { lettersOf } from "../../render/render-question.ts";
import { imagesIn } from "../../session/images-in.ts";
import { type ChangeWatch, watchChanges } from "../../session/only-reads.ts";
import { awaitServers, reportLoadErrors } from "../../session/session-start.ts";
import { asCommand, isSlashCommand, noSuchCommand } from "../../session/slash-command.ts";
import { todoToolName } from "../../session/state-commands.ts";
import { typedArguments, typedCallOptions, typedCommand, wantsTerminal } from "../../session/typed-call.ts";
import { createCallBlock, type Progress } from "../components/call-block.ts";
import { askPermission } from "./ask-permission.ts";
import { runInTerminal, severalLines } from "./edit-elsewhere.ts";
import { askLine, askQuestion, pick } from "./open-dialog.ts";
import { noteResult } from "./open-work.ts";
import { costOf, countAgents } from "./render-screen.ts";
import { catching, findCommand, say, type Tui, type TuiCommand } from "./tui.ts";
import { startClock, turnLine } from "./turn-sum.ts";
import { createTurnView, saidBlock, showTodos } from "./turn-view.ts";
import { ring, working } from "./working.ts";

/** Takes what the user typed and runs or queues it; `when`: whether a running turn takes it at its next step. */
export function submit(typed: string, tui: Tui, when: "step" | "end" = "step"): void {
  const text = keepTyped(typed, tui);
  if (text === "") return;
  const { scheduler } = tui;
  // A quick command changes nothing that a turn uses.
  const quick = isCommand(text) && scheduler.isBusy() ? findCommand(text, tui) : undefined;
  if (quick?.isQuick) {
    tui.focus.expect(runCommand(text, tui, quick));
    return;
  }
  // A command is not a message to the model, so it waits for the end of the turn, and what is meant for after it does, too.
  const isForEnd = [...scheduler.waiting(), { text }].some((queued) => isCommand(queued.text));
  // While ikigai starts, too.
  if (!tui.work) tui.focus.sent();
  scheduler.push({ text, when: isForEnd ? "end" : when });
}

/** Whether ikigai or a shell takes it, not the model. */
function isCommand(text: string): boolean {
  return isSlashCommand(text) || text.startsWith("!");
}

/** Adds the input to the history, without API keys; returns it without empty ends, as the command that it may stand for. */
export function keepTyped(typed: string, tui: Tui): string {
  const trimmed = asCommand(typed.trim());
  // The first line's indentation belongs to a text of several lines.
  const hasIndent = trimmed.includes("\n") && !isCommand(trimmed);
  const text = hasIndent ? typed.trimEnd().replace(/^(?:[^\S\n]*\n)+/, "") : trimmed;
  if (text === "") return "";
  const { places, secrets } = tui.session.agent;
  remember(places.home, { cwd: places.projectDir, text: redact(text, secrets) });
  tui.editor.remember(text);
  return text;
}

/**
 * Runs what the user typed: a slash command, a shell command after `!`, or a message to the model.
 *
 * @param hasWaited whether that was some time ago: no keys wait for what a command opens then
 */
export async function runTyped(text: string, tui: Tui, hasWaited = false): Promise<void> {
  if (isSlashCommand(text)) {
    const running = runCommand(text, tui);
    if (!hasWaited) tui.focus.expect(running);
    await running;
  } else if (text.startsWith("!")) await runShell(text, tui);
  else await answer(text, tui);
}

async function runCommand(text: string, tui: Tui, quick?: TuiCommand): Promise<void> {
  const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  let command = quick ?? findCommand(text, tui);
  if (!quick && (!command || command.isFromFile || command.name !== name)) {
    // The file may have been written, also one that has an alias, or a project's trust lost, a moment ago.
    await tui.loadCommands();
    command = findCommand(text, tui);
  }
  tui.transcript.add(saidBlock(tui, text, tui.theme.style.dim));
  if (command) await catching(tui, async () => command.run(argument.trim(), tui, quick !== undefined));
  else say(tui, await noSuchCommand(name, tui.commands(), tui.session));
  tui.session.screen.startLine();
}

/**
 * Runs a turn with the model.
 *
 * @param typed what the user typed: only its images are attached, and it goes back into the editor if it is not sent
 */
export async function answer(text: string, tui: Tui, typed = text): Promise<void> {
  const { session } = tui;
  const clock = startClock();
  const costBefore = costOf(tui);
  const callsBefore = tui.agentsWork.calls;
  const { reason, text: said } = await working(tui, "thinking", async (signal) => {
    await awaitServers(session, signal);
    await reportLoadErrors(session);
    const view = createTurnView(tui);
    const ask = askPermission(tui, view);
    const args = new Map<string, string>();
    const changes = watchChanges(session.agent.toolbox);
    const end = await takeTurn(session.agent, withImages(text, tui, typed), {
      model: session.model,
      signal,
      emit(event) {
        changes.see(event);
        view.show(event);
        ask.seen(event);
        if (event.type === "tool_call") args.set(event.id, event.arguments);
        if (event.type !== "tool_result") return;
        if (event.name === todoToolName) showTodos(tui);
        noteResult(tui, event, args.get(event.id) ?? "");
        if (event.name === "agent") countAgents(tui);
      },
      ask: (question, signal) => clock.stoppedFor(ask.ask(question, signal)),
      async answerTool(question, signal) {
        const { askForTool } = await import("./ask-for-tool.ts");
        return clock.stoppedFor(askForTool(tui, view)(question, signal));
      },
      drawsVisuals: true,
      confirm: (asked, signal) => clock.stoppedFor(confirm(tui, asked, signal)),
      notSent(input) {
        const own = input.text === text ? typed : input.text;
        putBack(tui, [own, ...(signal.aborted ? takeQueue(tui) : [])]);
      },
      takeSteering: () => tui.scheduler.takeSteering().map((queued) => withImages(queued.text, tui)),
    });
    await showEnd(tui, end, changes);
    countAgents(tui);
    const agentCalls = Math.max(0, tui.agentsWork.calls - callsBefore);
    const [workedMs, cost] = [clock.ms(), costOf(tui)];
    const sum = { ...view.sum(), workedMs, agentCalls, ...(cost !== undefined && { cost: cost - (costBefore ?? 0) }) };
    tui.addDone(sum);
    const line = turnLine(sum, session.screen);
    if (line !== undefined) say(tui, tui.theme.style.dim(line));
    return end;
  });
  // A user who has stopped the turn needs no bell.
  if (reason !== "interrupted") ring(tui, "the turn has ended", clock.ms());
  if (reason === "done" && session.agent.permission.mode === "plan" && endsPlan(said)) await acceptPlan(tui);
}

/** Asks a question of two answers. The first one loses nothing. */
async function confirm(tui: Tui, asked: YesOrNo, signal: AbortSignal): Promise<boolean | undefined> {
  const { why, question: title, yes, no, asker, isSafe } = asked;
  say(tui, tui.theme.style.yellow(sanitise(why)));
  const choices = [
    { value: false, label: no },
    { value: true, label: yes },
  ];
  return pick(tui, { title, choices: isSafe ? choices.reverse() : choices, asker }, signal);
}

/** A message with the images that the user mentioned; shows why others cannot be attached. */
function withImages(text: string, tui: Tui, typed = text): UserInput {
  const { images, problems } = imagesIn(typed, tui.session.agent.places.projectDir);
  for (const problem of problems) say(tui, tui.theme.style.yellow(sanitise(problem)));
  return { text, images };
}

async function showEnd(tui: Tui, { reason, error }: TurnEnd, changes: ChangeWatch): Promise<void> {
  const { style } = tui.theme;
  if (reason === "interrupted") {
    say(tui, style.yellow(await changes.interrupted()));
    putBack(tui, takeQueue(tui));
  }
  if (error) say(tui, style.red(`${sanitise(error.message)}${endAdvice(error.code, "conversation")}`));
}

/**
 * Puts what was not sent back into the editor, before what the user is typing. A command does not go together with other text, which
 * would become part of it; it is in the history.
 */
export function putBack(tui: Tui, texts: readonly string[]): void {
  if (texts.length === 0) return;
  const all = [...texts, tui.editor.text()].filter(Boolean);
  const apart = all.length > 1 ? texts.filter(isCommand) : [];
  tui.editor.setText(all.filter((text) => !apart.includes(text)).join("\n"));
  for (const text of apart) say(tui, tui.theme.style.yellow(sanitise(`Not run: ${text}`)));
}

/** Removes and returns the queued messages. */
function takeQueue({ scheduler }: Tui): string[] {
  return scheduler.takeBackAll().map(({ text }) => text);
}

function questionFor(hasSandbox: boolean) {
  const answers = [
    { letter: "y", text: "yes, and ask before each change" },
    { letter: "a", text: hasSandbox ? "yes, in the sandbox (auto)" : "yes, and allow edits in the project" },
    { letter: "e", text: "no, and say what to change" },
    { letter: "n", text: "no, keep planning" },
  ];
  return {
    title: "Carry out this plan?",
    remark: "shift-tab changes the mode later",
    answers,
    letters: lettersOf(answers),
  };
}

/** Asks what to do with the model's plan. */
async function acceptPlan(tui: Tui): Promise<void> {
  if (tui.scheduler.waiting().length > 0) return;
  const question = questionFor(tui.session.agent.sandbox.isThere);
  let initial = "";
  const left = (text: string) => {
    initial = text;
  };
  for (;;) {
    const letter = await askQuestion(tui, { asker: "The plan", current: () => question, refused: () => false });
    if (letter === "y" || letter === "a") return carryOut(tui, letter);
    if (letter !== "e") return;
    const text = await askLine(tui, "What to change? ", { lines: severalLines(tui, "changes.md"), initial, left });
    if (text?.trim()) tui.scheduler.push({ text, when: "end" });
    if (text !== undefined) return;
  }
}

function carryOut({ session, scheduler }: Tui, letter: "y" | "a"): void {
  const { permission, sandbox } = session.agent;
  const fast = sandbox.isThere ? "auto" : "edits";
  permission.mode = letter === "a" ? fast : "ask";
  scheduler.push({ text: "Carry out the plan.", when: "end" });
}

/**
 * Runs the command that the user typed after `!` with the bash tool, without asking. The command and its result become part
 * of the conversation. After `!!` they do not, and the command gets the terminal, as do interactive programs after `!`.
 */
async function runShell(typed: string, tui: Tui): Promise<void> {
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
  noteResult(tui, result, typed.arguments);
}
