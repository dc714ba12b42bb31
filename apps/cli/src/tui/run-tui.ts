// The life of the full screen: `runTui` puts its parts together (`createTui`), draws them over the first frame (`begin`), asks what the start
// leaves open (`open`: which session, which trust), loads what the first message needs (`prepare`), takes keys until the user leaves, and gives
// the terminal back (`close`).
// The folders: app/ (what happens), commands/ (slash commands), components/ (what is drawn; does not know the agent), input/ (keys).

import { setImmediate, setTimeout } from "node:timers/promises";
import type { Model } from "@ikigai/models";
import {
  asciiSigns,
  createEditor,
  createImageTerminal,
  type ImageTerminal,
  type ImageTerminalOptions,
  linksFor,
  openSurface,
  readKeys,
  type Signs,
  type Surface,
  sanitise,
  type Theme,
  themeFor,
} from "@ikigai/screen";
import { beforeExit } from "@ikigai/system";
import type { SessionFlags } from "../args/parse-argv.ts";
import type { Agent } from "../host/conversation/agent-from-flags.ts";
import { placesOfCalls } from "../host/places/find-places.ts";
import { exitCodes, onInterrupt, shutdown } from "../host/terminal/exit.ts";
import { awaitServers, checkModeAuto, offerTrust, openSession, reportLoadErrors } from "../session/session.ts";
import { readHistory } from "./app/history.ts";
import { whenNotLent } from "./app/lend-terminal.ts";
import { noteEarlier, wakeForJobs } from "./app/open-work.ts";
import { countAgents, noteResume, refreshContext, renderScreen } from "./app/render-screen.ts";
import { createScheduler } from "./app/scheduler.ts";
import { createScreenState } from "./app/screen-state.ts";
import { keepTyped, sendText, submit, takeTyped } from "./app/submit.ts";
import { say, type Tui } from "./app/tui.ts";
import { createTuiOutput, createTuiPrompt } from "./app/tui-output.ts";
import { showTodos } from "./app/turn-view.ts";
import { applyBindings, loadWantedTheme, watchHome } from "./app/watch-home.ts";
import { gitBranch, keepWindowName, nameWindow, restoreWindowName } from "./app/working.ts";
import { allCommands, findCustomCommands } from "./commands/all-commands.ts";
import { showConversation } from "./commands/change-conversation.ts";
import { resumeAtStart } from "./commands/sessions.ts";
import { loadRenderers } from "./components/renderers.ts";
import { createTranscript } from "./components/transcript.ts";
import type { FirstFrame } from "./first-frame.ts";
import { complete, openFileIndex } from "./input/complete.ts";
import { KeyFocus } from "./input/focus.ts";
import { interruption, takeKey, takePaste, takeTerminalAnswer } from "./input/keys.ts";

/** Delay before loading what the prompt does not need, in milliseconds, so that the prompt is visible first. */
const prepareMs = 30;

/** What the command line asks for. */
interface Start {
  readonly session: SessionFlags["session"];
  /** Whether it names the model, also of a session that the user chooses. */
  readonly namesModel: boolean;
  /** The first message; may be empty. */
  readonly message: string;
  /** Whether the screen ends with the conversation: then there is a question about it. Default: it ends with the process. */
  readonly closes?: boolean;
}

/** The REPL on the full screen. Returns the exit code. */
export async function runTui(agent: Agent, model: Model, start: Start, first: FirstFrame): Promise<number> {
  let isDone: (exitCode?: number) => void = () => {};
  const done = new Promise<number>((settle) => {
    isDone = (exitCode = exitCodes.done) => settle(exitCode);
  });
  const loaded = await loadWantedTheme(agent);
  const tui = createTui(agent, model, { ...first, theme: loaded?.theme ?? themeFor(undefined) }, isDone);
  for (const problem of loaded?.problems ?? []) say(tui, tui.theme.style.yellow(sanitise(problem)));
  let isOpen = true;
  const closeOnce = () => {
    if (isOpen) close(tui, stopReading);
    isOpen = false;
  };
  beforeExit(closeOnce);
  const stopReading = readKeys({
    key: (typed) => takeTerminalAnswer(typed, tui) || tui.focus.take(typed),
    paste: (text, isCut) => tui.focus.paste(text, isCut),
    gone: () => void shutdown(exitCodes.hangup),
  });
  onInterrupt(interruption(tui));
  begin(tui, start);
  const exitCode = await done;
  if (start.closes) closeOnce();
  return exitCode;
}

function createTui(
  agent: Agent,
  model: Model,
  { signs, theme: firstTheme, ...ground }: FirstFrame & { theme: Theme },
  end: Tui["leave"],
): Tui {
  const { projectDir } = agent.places;
  const surface = openSurface(
    { settle: () => transcript.settle(), render: (columns, rows) => renderScreen(tui, columns, rows) },
    { ...ground, link: linksFor(agent, agent.config.screen?.links) },
  );
  const theme = () => tui.theme;
  const transcript = createTranscript(surface, () => ({ style: tui.theme.style, signs }));
  const redraw = (isUrgent: boolean) => {
    surface.requestDraw(isUrgent);
    tui.viewer?.changed();
  };
  const state = createScreenState(
    {
      theme: firstTheme,
      recentModels: [model.id],
      branch: gitBranch(projectDir),
    },
    redraw,
  );
  const screen = createTuiOutput({ surface, theme, signs, add: (text) => say(tui, text) });
  const input = createTuiPrompt(() => tui, screen);
  let commands = allCommands;
  // Assigned to the state itself: a copy would not see its changes.
  const tui: Tui = Object.assign(state, {
    session: openSession({ agent, screen, input }, model),
    surface,
    transcript,
    images: imagesOn(surface, agent.env, signs),
    editor: createEditor({
      theme,
      rows: () => surface.rows,
      requestDraw: () => surface.requestDraw(true),
      complete: (before, isFirstLine, isForced) => complete(before, { isFirstLine, isForced, tui }),
      submit: (text) => submit(text, tui),
    }),
    focus: new KeyFocus(() => tui, {
      key: (typed) => takeKey(typed, tui),
      paste: (text, isCut) => takePaste(text, isCut, tui),
    }),
    scheduler: createScheduler(
      (text, hasWaited) => takeTyped(text, tui, hasWaited),
      () => redraw(true),
    ),
    files: openFileIndex(
      () => placesOfCalls(agent).projectDir,
      () => agent.permission.directories ?? [],
    ),
    commands: () => commands,
    async loadCommands() {
      commands = [...allCommands, ...(await findCustomCommands(tui))];
    },
    leave: end,
    left: [],
    statusRun: { isRunning: false, isDue: false },
  });
  return tui;
}

/** Draws the first screen, then begins to load the rest. */
function begin(tui: Tui, start: Start): void {
  const { surface, editor } = tui;
  const { agent } = tui.session;
  surface.signal(keepWindowName);
  nameWindow(tui, "");
  tui.redraw();
  const { home, projectDir } = agent.places;
  for (const { cwd, text } of readHistory(home)) if (cwd === projectDir) editor.remember(text);
  // Before the first message is added, which would be shown twice.
  if (start.session !== "pick") showConversation(tui, agent.conversation);
  showTodos(tui);
  // What agents did before does not belong to the first turn.
  countAgents(tui);
  // Messages sent meanwhile wait.
  tui.scheduler.runAlone(() => open(tui, start));
}

/** Lets the user choose the session and asks about trust, then sends the command line's message. */
async function open(tui: Tui, { session: wanted, namesModel, message }: Start): Promise<void> {
  const { session } = tui;
  const { agent } = session;
  // Keys typed during loading are read in the second turn of the event loop. They answer no question.
  if (wanted === "pick") {
    const picked = resumeAtStart(tui, { keepModel: namesModel });
    void tui.focus.expect(picked);
    // Nothing was opened yet, so there is nothing to keep running.
    if (!(await picked)) return tui.leave(exitCodes.interrupted);
  }
  await setImmediate();
  await setImmediate();
  await offerTrust(session);
  await applyBindings(tui);
  void awaitServers(session);
  void agent.toolbox.current().then((registry) => reportLoadErrors(session, registry));
  void agent.models.lookUp(session.model.id).then(() => tui.redraw());
  void prepare(session.model).then(() => {
    void checkModeAuto(session).then(() => tui.redraw());
    void refreshContext(tui);
    noteEarlier(tui);
    wakeForJobs(tui, (text) => sendText(text, tui, ""));
    watchHome(tui);
  });
  await tui.loadCommands();
  const first = keepTyped(message, tui);
  if (first !== "") await takeTyped(first, tui);
}

/** Loads what the first message needs, while the user writes it. */
async function prepare(model: Model): Promise<void> {
  await setTimeout(prepareMs, undefined, { ref: false });
  await model.prepare?.();
  await loadRenderers();
}

function close(tui: Tui, stopReading: () => void): void {
  stopReading();
  tui.viewer?.close();
  noteResume(tui);
  tui.transcript.settle(true);
  tui.surface.signal(restoreWindowName);
  tui.surface.close();
}

/** Returns what finds out how the terminal of a surface takes images. */
function imagesOn(surface: Surface, env: ImageTerminalOptions["env"], signs: Signs): ImageTerminal {
  return createImageTerminal({
    env,
    isAscii: signs === asciiSigns,
    async ask(question) {
      // Another program would get the answer.
      await whenNotLent();
      surface.signal(question);
    },
  });
}
