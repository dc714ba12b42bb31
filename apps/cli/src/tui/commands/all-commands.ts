// What slash commands do on the full screen: the table is at the end, before it those that need no file of their own (/help, /context, /compact
// and /btw). The folder has a file for each group of the others: agents, copy (with export-page), jobs, models, permissions, rewind, sessions,
// subcommands; change-conversation puts another conversation on the screen. What a command does without a screen is in session/commands/.

import { cutToWidth, sanitise, sanitiseLine, wrapBelowText, wrapStyled } from "@ikigai/screen";
import { asTyped, contextUse } from "@ikigai/session";
import { beforeExit, tokenCount } from "@ikigai/system";
import {
  isShared,
  type ScreenCommandName,
  type SharedCommandName,
  slashCommand,
  slashCommandForm,
  slashCommandNames,
} from "../../help/slash-command-table.ts";
import { conversationKeys } from "../../help/topics.ts";
import { describeCall } from "../../render/call/render-call.ts";
import { answerAside } from "../../session/commands/aside.ts";
import { type CompactedPart, compactSession, readCompact } from "../../session/commands/compact.ts";
import { expandOwn, ownCommands, tellOnce, unusedCommandFiles } from "../../session/commands/own-commands.ts";
import { commandHandlers, helpInConversation } from "../../session/commands/slash-commands.ts";
import { requestPartsOf } from "../../session/session.ts";
import { leave } from "../app/leave.ts";
import { openViewer, pick } from "../app/open-dialog.ts";
import { sendText } from "../app/submit.ts";
import { catching, type ScreenHandler, say, type Tui, type TuiCommand } from "../app/tui.ts";
import { showTodos } from "../app/turn-view.ts";
import { working } from "../app/working.ts";
import { asideBlock } from "../components/answer-block.ts";
import { loadRenderers } from "../components/renderers.ts";
import { agents, calls } from "./agents.ts";
import { copy, exporting } from "./copy.ts";
import { jobs } from "./jobs.ts";
import { model, thinking } from "./models.ts";
import { permissions } from "./permissions.ts";
import { rewind } from "./rewind.ts";
import { clear, fork, fresh, resume } from "./sessions.ts";
import { config, doctor, login } from "./subcommands.ts";

export const help: ScreenHandler = {
  complete: async () => Object.keys((await import("../../help/topics.ts")).topics),
  async run(topic, tui) {
    if (topic !== "") return show(tui, await helpInConversation(topic.split(/\s+/), tui.session.agent.places));
    const commands = tui
      .commands()
      .map((command) => [slashCommandForm([command.name, command]), command.summary] as const);
    const unused = (await unusedCommandFiles(tui.session.agent.places)).map((line) => [line, ""] as const);
    const { footerParts, topicRows } = await import("../../help/help-on.ts");
    const heads = ["The last line, from left to right", "/help TOPIC explains"] as const;
    const blank = ["", ""] as const;
    const rows = [
      ...[...commands, ...unused, blank, ...conversationKeys],
      ...[blank, [heads[0], ""] as const, ...footerParts],
      ...[blank, [heads[1], ""] as const, ...topicRows()],
    ];
    const width = Math.max(...rows.map(([what, meaning]) => (meaning === "" ? 0 : what.length)));
    const parts = (columns: number) => [rows.flatMap((row) => inTwoColumns(row, width, columns))];
    openViewer(tui, { title: "Help", parts });
  },
};

/** Shows a text that needs most of the screen in the pager, any other in the conversation. */
function show(tui: Tui, text: string): void {
  const lines = text.trimEnd().split("\n");
  if (lines.length < tui.surface.rows / 2) say(tui, text);
  else openViewer(tui, { title: "Help", parts: (columns) => [lines.flatMap((line) => wrapBelowText(line, columns))] });
}

/** Lays out a row; the second column goes below the first if there is no room beside it. */
function inTwoColumns([what, meaning]: readonly [string, string], width: number, columns: number): string[] {
  const begin = columns > 2 * width ? width + 5 : 4;
  const [first = "", ...rest] = wrapStyled(meaning, columns - begin);
  const indent = " ".repeat(begin);
  const others = rest.map((line) => indent + line);
  if (begin > 4) return [`  ${what.padEnd(width)}   ${first}`.trimEnd(), ...others];
  return meaning === "" ? [`  ${what}`.trimEnd()] : [`  ${what}`, indent + first, ...others];
}

/** The longest bar. */
const maxBarColumns = 24;

const context: ScreenHandler = {
  async run(_, tui) {
    const { agent, model, screen } = tui.session;
    const use = contextUse(agent.conversation, await requestPartsOf(tui.session));
    const window = agent.models.of(model.id)?.contextWindow;
    const rows: (readonly [string, number])[] = [
      ["instructions", use.system],
      ...use.tools.map(({ name, tokens }) => [`schema of ${name}`, tokens] as const),
      ["your messages", use.user],
      ["answers and calls", use.assistant],
      ...use.results.map(({ name, tokens }) => [`results of ${name}`, tokens] as const),
    ];
    const width = Math.max(...rows.map(([what]) => what.length));
    // What is beside the bar: the name, the number, and the gaps.
    const barColumns = Math.min(maxBarColumns, Math.max(0, tui.surface.columns - width - 12));
    const most = Math.max(1, ...rows.map(([, tokens]) => tokens));
    const share =
      window === undefined
        ? "context window unknown"
        : `${Math.round((100 * use.total) / window)} % of ${tokenCount(window)}`;
    const lines = rows.map(([what, tokens]) => {
      const bar = screen.signs.full.repeat(Math.round((barColumns * tokens) / most));
      return `  ${sanitiseLine(what).padEnd(width)}  ${tokenCount(tokens).padStart(6)}  ${tui.theme.style.cyan(bar)}`;
    });
    const largest = use.largest.map(({ message, call, tokens }) => {
      const said = message.role === "user" ? "your message" : "an answer";
      const what = call ? cutToWidth(describeCall(call, screen).split("\n", 1)[0] ?? "", 60, screen.signs.cut) : said;
      const by = call ? `${sanitiseLine(call.name)}  ` : "";
      return `  ${tokenCount(tokens).padStart(6)}  ${by}${what}`;
    });
    if (largest.length > 0) lines.push(tui.theme.style.bold("Largest"), ...largest);
    say(tui, [`${tui.theme.style.bold("Context")}  ${tokenCount(use.total)} tokens, ${share}`, ...lines].join("\n"));
  },
};

export const compact: ScreenHandler = {
  complete: () => ["from here", "up to here"],
  async run(words, tui) {
    const { session, theme } = tui;
    if (session.agent.conversation.messages.length === 0) return say(tui, "No messages yet.");
    const { side, focus } = readCompact(words);
    const part = side && (await pickPart(tui, side));
    if (side && !part) return;
    await working(tui, "compacting", async (signal) => {
      const { text, hasFailed } = await compactSession(session, focus, signal, part);
      say(tui, hasFailed ? theme.style.yellow(sanitise(text)) : text);
    });
  },
};

/** Lets the user pick the message where the part of a conversation that is summarized begins, or before which it ends. */
async function pickPart(tui: Tui, side: "from" | "before"): Promise<CompactedPart | undefined> {
  const choices = tui.session.agent.conversation.messages.flatMap((message, index) =>
    message.role === "user" && (side === "from" || index > 0)
      ? { value: index, label: sanitiseLine(asTyped(message).replace(/\s+/g, " ")) }
      : [],
  );
  const title = side === "from" ? "Summarize from this message on" : "Summarize all before this message";
  const index = await pick(tui, { title, choices, selected: choices.length - 1 });
  if (index === undefined) return undefined;
  return side === "from" ? { from: index } : { before: index };
}

const btw: ScreenHandler = {
  async run(question, tui, isAside) {
    const ask = async (signal: AbortSignal) => {
      const answer = await answerAside(tui.session, question, signal);
      if ("problem" in answer) return say(tui, tui.theme.style.yellow(sanitise(answer.problem)));
      await loadRenderers();
      tui.transcript.add(asideBlock(answer.text, () => tui.theme, tui.session.screen.signs));
    };
    if (!isAside) return working(tui, "answering", ask);
    // The turn continues. Esc stops this first.
    const controller = new AbortController();
    const stop = () => controller.abort();
    const leave = beforeExit(stop);
    tui.setAside(stop);
    tui.showHint("esc stops the side question");
    void catching(tui, () => ask(controller.signal)).finally(() => {
      leave();
      if (tui.aside === stop) tui.setAside(undefined);
    });
  },
};

/** What a command does everywhere, for the full screen. */
function shared(name: SharedCommandName): ScreenHandler {
  return {
    async run(argument, tui) {
      const words = argument.split(/\s+/).filter(Boolean);
      await commandHandlers[name](words, tui.session, (run) => working(tui, "working", run));
    },
  };
}

/** Reloads the custom commands after a command that may change them. */
function reloading(command: ScreenHandler): ScreenHandler {
  return {
    ...command,
    async run(argument, tui) {
      await command.run(argument, tui);
      await tui.loadCommands();
    },
  };
}

const toolNames = async ({ session }: Tui) => (await session.agent.toolbox.last()).tools.map(({ name }) => name);

const loadable = async ({ session }: Tui) => {
  const { completedNames } = await import("../../session/commands/load-command.ts");
  return completedNames(await session.agent.toolbox.last());
};

const directories = async ({ files }: Tui) => (await files()).filter((path) => path.endsWith("/"));

/** What the full screen does for the commands that need it, and differently for others. */
const handlers: Readonly<Record<ScreenCommandName, ScreenHandler> & Partial<Record<SharedCommandName, ScreenHandler>>> =
  {
    resume,
    new: fresh,
    compact,
    btw,
    rewind,
    model,
    thinking,
    permissions,
    cd: { ...shared("cd"), complete: directories },
    context,
    export: exporting,
    copy,
    fork,
    calls,
    jobs,
    agents,
    todos: {
      complete: () => ["clear"],
      async run(argument, tui) {
        await shared("todos").run(argument, tui);
        showTodos(tui);
      },
    },
    tool: { ...shared("tool"), complete: toolNames },
    load: { ...shared("load"), complete: loadable },
    refresh: reloading(shared("refresh")),
    trust: reloading(shared("trust")),
    clear,
    config,
    login,
    doctor,
    help,
    quit: { run: (_, tui) => leave(tui) },
  };

/** All built-in commands, in the order of the help. */
export const allCommands: readonly TuiCommand[] = slashCommandNames.map((name) => {
  const handler = isShared(name) ? (handlers[name] ?? shared(name)) : handlers[name];
  return { ...slashCommand(name), ...handler };
});

/** The custom commands: files of the user and of a trusted project, whose text is sent to the model. */
export async function findCustomCommands({ session }: Tui): Promise<TuiCommand[]> {
  const { places } = session.agent;
  return (await ownCommands(places)).map((command) => {
    const { name, parameters, description, scope } = command;
    return {
      name,
      ...(parameters !== undefined && { parameters: sanitiseLine(parameters) }),
      summary: `${sanitiseLine(description)} (${scope})`,
      isFromFile: true,
      run(argument, tui) {
        const { text, notices } = expandOwn(command, argument, places);
        tellOnce(tui.session, notices);
        return sendText(text, tui, `/${name} ${argument}`.trim());
      },
    };
  });
}
