// What happens with a submitted text: a slash command, a shell command after !, or a message that begins a turn.

import type { TurnEnd } from "@ikigai/agent";
import type { YesOrNo } from "@ikigai/permission";
import { sanitise } from "@ikigai/screen";
import { redact, standardShell } from "@ikigai/system";
import { lettersOf } from "../../render/question/render-question.ts";
import { asCommand, isSlashCommand, noSuchCommand } from "../../session/commands/find-command.ts";
import { todoToolName } from "../../session/commands/state-commands.ts";
import { awaitTools } from "../../session/session.ts";
import {
  type CommandFace,
  carryOut,
  isPlan,
  keepPlanning,
  leavePlan,
  planTitle,
  planYes,
  type ShellCommand,
  type ShellFace,
  sendMessage,
  type TurnFace,
  takeInput,
  typedArguments,
  wantsTerminal,
  withImages,
} from "../../session/take-input.ts";
import { askPermission } from "./ask-permission.ts";
import { remember } from "./history.ts";
import { runInTerminal, severalLines } from "./lend-terminal.ts";
import { askLine, askQuestion, pick } from "./open-dialog.ts";
import { noteResult } from "./open-work.ts";
import { costOf, countAgents } from "./render-screen.ts";
import { catching, findSlashCommand, say, type Tui, type TuiCommand } from "./tui.ts";
import { nothingDone, startClock, turnLine } from "./turn-sum.ts";
import { callBlockFor, createTurnView, saidBlock, showTodos, type TurnView } from "./turn-view.ts";
import { ring, working } from "./working.ts";

/** Takes what the user typed and runs or queues it; `when`: whether a running turn takes it at its next step. */
export function submit(typed: string, tui: Tui, when: "step" | "end" = "step"): void {
  const text = keepTyped(typed, tui);
  if (text === "") return;
  const { scheduler } = tui;
  // A quick command changes nothing that a turn uses.
  const quick = isCommand(text) && scheduler.isBusy() ? findSlashCommand(text, tui) : undefined;
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
 * Runs what the user typed.
 *
 * @param hasWaited whether that was some time ago: no keys wait for what a command opens then
 */
export async function takeTyped(text: string, tui: Tui, hasWaited = false): Promise<void> {
  await takeInput(text, faceOf(tui, hasWaited));
  if (/^!!?\s*cd(?:\s[^;&|]*)?$/.test(text))
    say(tui, "cd counts for this command only. To run calls in another directory: /cd DIR");
}

/** Runs a turn with the model. @param typed what the user typed, which goes back into the editor if it is not sent */
export async function sendText(text: string, tui: Tui, typed: string): Promise<void> {
  await sendMessage({ text, typed }, faceOf(tui));
}

/** The full screen as a face of the conversation, for one input. */
function faceOf(tui: Tui, hasWaited = false): CommandFace {
  const { session } = tui;
  const clock = startClock();
  const before = { cost: costOf(tui) ?? 0, calls: tui.agentsWork.calls };
  let view: TurnView | undefined;
  let end: TurnEnd | undefined;
  return {
    agent: session.agent,
    get model() {
      return session.model;
    },
    warn: (text) => say(tui, tui.theme.style.yellow(text)),
    ready: (signal) => awaitTools(session, signal),
    async work(kind, run) {
      const result = await working(tui, kind, run);
      if (end) await afterTurn(tui, end, clock.ms());
      return result;
    },
    begin() {
      view = createTurnView(tui);
      return beginTurn(tui, view, clock);
    },
    async ended(ended, words) {
      end = ended;
      const text = await words();
      if (text !== undefined) say(tui, (ended.error ? tui.theme.style.red : tui.theme.style.yellow)(text));
      if (ended.reason === "interrupted") putBack(tui, takeQueue(tui));
      countAgents(tui);
      const agentCalls = Math.max(0, tui.agentsWork.calls - before.calls);
      const [workedMs, cost] = [clock.ms(), costOf(tui)];
      const spent = cost !== undefined && { cost: cost - before.cost };
      const sum = { ...(view?.sum() ?? nothingDone), workedMs, agentCalls, ...spent };
      tui.addDone(sum);
      const line = turnLine(sum, session.screen);
      if (line !== undefined) say(tui, tui.theme.style.dim(line));
    },
    async command(line) {
      const running = runCommand(line, tui);
      if (!hasWaited) tui.focus.expect(running);
      await running;
      return undefined;
    },
    shell: (command) => shellFace(command, tui),
  };
}

/** What a turn shows, asks and takes. */
function beginTurn(tui: Tui, view: TurnView, clock: ReturnType<typeof startClock>): TurnFace {
  const ask = askPermission(tui, view);
  const args = new Map<string, string>();
  const face = { agent: tui.session.agent, warn: (text: string) => say(tui, tui.theme.style.yellow(text)) };
  return {
    drawsVisuals: true,
    emit(event) {
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
    confirm: (asked, signal) => clock.stoppedFor(confirm(tui, asked, signal)),
    notSent: (typed, isStopped) => putBack(tui, [typed, ...(isStopped ? takeQueue(tui) : [])]),
    takeSteering: () => tui.scheduler.takeSteering().map(({ text }) => withImages({ text }, text, face)),
  };
}

/** Rings, and asks about a plan. */
async function afterTurn(tui: Tui, end: TurnEnd, workedMs: number): Promise<void> {
  // A user who has stopped the turn needs no bell.
  if (end.reason !== "interrupted") ring(tui, "the turn has ended", workedMs);
  if (isPlan(end, tui.session.agent)) await acceptPlan(tui);
}

async function runCommand(text: string, tui: Tui, quick?: TuiCommand): Promise<void> {
  const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  let command = quick ?? findSlashCommand(text, tui);
  if (!quick && (!command || command.isFromFile || command.name !== name)) {
    // The file may have been written, also one that has an alias, or a project's trust lost, a moment ago.
    await tui.loadCommands();
    command = findSlashCommand(text, tui);
  }
  tui.transcript.add(saidBlock(tui, text, tui.theme.style.dim));
  if (command) await catching(tui, async () => command.run(argument.trim(), tui, quick !== undefined));
  else say(tui, await noSuchCommand(name, tui.commands(), tui.session));
  tui.session.screen.startLine();
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

function questionFor(yes: ReturnType<typeof planYes>) {
  const answers = [
    { letter: "y", text: yes.y },
    { letter: "a", text: yes.a },
    { letter: "e", text: "no, and say what to change" },
    { letter: "n", text: keepPlanning },
  ];
  return {
    title: planTitle,
    remark: "shift-tab changes the mode later",
    answers,
    letters: lettersOf(answers),
  };
}

/** Asks what to do with the model's plan. */
async function acceptPlan(tui: Tui): Promise<void> {
  if (tui.scheduler.waiting().length > 0) return;
  const question = questionFor(planYes(tui.session.agent));
  let initial = "";
  const left = (text: string) => {
    initial = text;
  };
  for (;;) {
    const letter = await askQuestion(tui, { asker: "The plan", current: () => question, refused: () => false });
    if (letter === "y" || letter === "a") {
      leavePlan(tui.session.agent, letter);
      return tui.scheduler.push({ text: carryOut, when: "end" });
    }
    if (letter !== "e") return;
    const text = await askLine(tui, "What to change? ", { lines: severalLines(tui, "changes.md"), initial, left });
    if (text?.trim()) tui.scheduler.push({ text, when: "end" });
    if (text !== undefined) return;
  }
}

/**
 * Shows a command after `!`. After `!!` it gets the terminal, as do interactive programs after `!`.
 */
function shellFace({ id, call, command, isApart }: ShellCommand, tui: Tui): ShellFace {
  const { agent } = tui.session;
  const { places, rules } = agent;
  const block = callBlockFor(tui, { name: call.name, withOutput: true, typed: isApart ? "!!" : "!" });
  block.called(call.arguments);
  tui.transcript.add(block);
  return {
    async started(tool) {
      const { scope = "system", shell = standardShell(agent.env.PATH, places.projectDir) } = tool ?? {};
      block.started(scope);
      tui.setActivity("running", true);
      const isOurs = scope === "system" && !rules.settingsFor(call.name).sandbox && !rules.launchers[call.name];
      const { background } = typedArguments(command);
      if (!isOurs || background || !(isApart || wantsTerminal(command))) return false;
      await runInTerminal(tui, { block, command, shell, callId: id, typed: call, isApart });
      return true;
    },
    progressed: (progress) => block.progressed(progress),
    ended(result) {
      block.ended(result);
      tui.addRecord({ ...block.recorded(), result });
      noteResult(tui, result, call.arguments);
    },
  };
}
