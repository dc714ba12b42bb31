// The session of a conversation with a person, and what happens before a message is taken: the user can trust the project's files, the MCP
// servers are awaited, the sandbox of the mode auto is checked, and load errors are reported, each once. The folder: session; take-input (a
// message, a command) ← images-in, limits; work-left, agents-left: what still runs; commands/ are the slash commands.

import { overridesOf, requestParts } from "@ikigai/agent/internal";
import { type Registry, type TrustStatus, trust, trustStatus } from "@ikigai/core";
import { untrustedWords } from "@ikigai/core/trust";
import type { Model } from "@ikigai/models";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import type { RequestParts } from "@ikigai/session";
import type { Agent } from "../host/conversation/agent-from-flags.ts";
import type { LineOutput } from "../render/line-output.ts";
import { renderTrust, storeProblem, trustEffect } from "../render/question/render-trust.ts";
import { failureLine, labelledRules, skillProblems, untrustedNotice } from "../render/tool/report-tools.ts";

/** The shared state of the REPL, a plain value. */
export interface Session {
  readonly agent: Agent;
  readonly screen: LineOutput;
  readonly input: LinePrompt;
  /** The model of the mode: `models.plan`, if that is set, has the mode plan. May change between two messages. */
  model: Model;
  /** The user wants to quit. */
  isOver: boolean;
  /** A message could not be answered. */
  hasFailed: boolean;
  /** Load errors that were already reported. */
  readonly told: Set<string>;
}

/** Opens a session. Setting its model sets that of the current mode. */
export function openSession(
  { agent, screen, input }: Pick<Session, "agent" | "screen" | "input">,
  model: Model,
): Session {
  return modelOfMode({ agent, screen, input, isOver: false, hasFailed: false, told: new Set<string>() }, model);
}

/** Adds the model of the current mode to a state. Setting it sets that of the mode. */
export function modelOfMode<State extends Pick<Session, "agent">>(
  state: State,
  model: Model,
): State & Pick<Session, "model"> {
  const { agent } = state;
  let current = model;
  const isPlanned = () => agent.planModel !== undefined && agent.permission.mode === "plan";
  const property = {
    get model() {
      return (isPlanned() ? agent.planModel : undefined) ?? current;
    },
    set model(wanted) {
      if (isPlanned()) agent.planModel = wanted;
      else current = wanted;
    },
  };
  return Object.defineProperties(state, Object.getOwnPropertyDescriptors(property)) as State & typeof property;
}

/** The system prompt and the schemas that a request would send now. */
export async function requestPartsOf({ agent, model }: Pick<Session, "agent" | "model">): Promise<RequestParts> {
  return requestParts(agent, await agent.toolbox.last(), model.id);
}

/** Runs something that Esc or Ctrl-C stops, as the screen has it. */
export type Interruptible = <Result>(run: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;

/** The user's input. */
export interface LinePrompt {
  /** Whether there is a user to ask. */
  readonly canAsk: boolean;
  /**
   * Reads the next message: a line that ends in a backslash continues on the next one. Undefined at end of input, and if the signal is
   * aborted before the message has begun.
   */
  read(until: AbortSignal): Promise<string | undefined>;
  /** Asks a question; undefined at end of input. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
  /** Reads one of these letters, "yes" or "no"; undefined without an answer. @param because is called with a reason behind "no" */
  choose(letters: string, signal: AbortSignal, because?: (words: string) => void): Promise<string | undefined>;
  /** Prints something while the user may be typing. */
  aside(print: () => void): void;
  close(): void;
}

/**
 * Shows a project's untrusted files and asks whether to trust them.
 *
 * @returns the status afterwards.
 */
export async function offerTrust({ agent, screen, input, told }: Session): Promise<TrustStatus> {
  const { places } = agent;
  const seen = await trustStatus(places);
  if (seen.status === "nothing" || seen.status === "trusted") return seen.status;
  screen.print(renderTrust(seen, await overridesOf(seen, places), places));
  if (seen.problem !== undefined) return seen.status;
  if (!input.canAsk) {
    screen.print("Not a terminal, so nothing was trusted. Run in a shell: ikigai trust\n");
    return seen.status;
  }
  screen.print(`${screen.style.bold("Trust this?")} Its ${trustEffect(seen, "would ")}.   y yes   n no   then Enter  `);
  const answer = await input.choose("yn", new AbortController().signal);
  if (answer !== "y") {
    screen.print("Not trusted: ikigai uses none of it. /trust asks again.\n\n");
    // The user has just seen them, and the command.
    const notice = untrustedNotice(await agent.toolbox.current(), "/trust");
    if (notice !== undefined) told.add(notice);
    return seen.status;
  }
  try {
    const { status } = await trust({ ...places, seen });
    screen.print(
      status === "trusted"
        ? "Trusted until one of these files changes.\n\n"
        : "Not trusted: the files changed in the meantime. /trust asks again.\n\n",
    );
    return status;
  } catch (error) {
    screen.print(`Not trusted: cannot store the decision: ${storeProblem(error)}.\n\n`);
    return seen.status;
  }
}

/** Waits until the MCP servers of `--mcp` have said what they have, or the signal aborts; says once which cannot be used. */
export async function awaitServers({ agent, screen, input }: Session, signal?: AbortSignal): Promise<void> {
  const { servers } = agent;
  if (!servers) return;
  const { style } = screen;
  const tell = (lines: readonly string[], colour: (text: string) => string) => {
    if (lines.length > 0)
      input.aside(() => screen.print(lines.map((line) => `${colour(sanitiseLine(line))}\n`).join("")));
  };
  const waiting = servers.loading();
  if (signal && waiting.length > 0) tell([`Waiting for MCP servers: ${waiting.join(", ")}`], style.dim);
  await servers.untilLoaded(signal);
  tell(servers.takeNews(), style.yellow);
}

/** Most lines at once: a project can have thousands of files that are no tools. */
const maxLines = 40;

/** Checks the sandbox of the mode `auto`, and says when that had to become `ask`. */
export function checkModeAuto({ agent, screen, input }: Session): Promise<void> {
  const { sandbox, permission } = agent;
  if (permission.mode !== "auto") return Promise.resolve();
  return sandbox.check(permission, (text) =>
    input.aside(() => screen.print(`${screen.style.yellow(sanitise(text))}\n`)),
  );
}

/** What a message waits for: the servers, and a new look for tools, so that it is answered with those that are there now. */
export async function awaitTools(session: Session, signal: AbortSignal): Promise<void> {
  await awaitServers(session, signal);
  await reportLoadErrors(session, await session.agent.toolbox.current());
}

/** Reports what of the tools, skills and rules cannot be used, each once until it changes. */
export async function reportLoadErrors({ agent, screen, input, told }: Session, registry: Registry): Promise<void> {
  const { failed, problems } = registry;
  const rules = labelledRules(agent);
  const unknown =
    rules.length === 0
      ? []
      : (await import("../render/tool/rule-warnings.ts")).ruleWarnings(rules, registry, "/tool lists the tools.");
  const { style } = screen;
  // Only commands, hooks or agents may have changed: these are not among what was not loaded.
  const { trust } = registry;
  const changed = trust === "changed" ? `The project is ${untrustedWords(trust)} — /trust` : undefined;
  const untrusted = untrustedNotice(registry, "/trust") ?? changed;
  const lines = [
    ...failed
      .filter(({ reason }) => reason !== "untrusted")
      .map((failure) => ({
        key: `${failure.path}\n${failure.reason}\n${failure.detail}`,
        text: (failure.isLaunched ? style.yellow : style.dim)(failureLine(failure)),
      })),
    ...skillProblems(registry).map((problem) => ({ key: problem, text: style.dim(problem) })),
    ...problems.map((problem) => ({ key: problem, text: style.yellow(sanitiseLine(problem)) })),
    ...unknown.map((warning) => ({ key: warning, text: style.yellow(warning) })),
    ...(untrusted === undefined ? [] : [{ key: untrusted, text: style.yellow(untrusted) }]),
  ];
  const news = lines.filter(({ key }) => !told.has(key));
  // An error that is fixed and returns is reported again.
  told.clear();
  for (const { key } of lines) told.add(key);
  if (news.length === 0) return;
  // What needs the user's decision is at the end.
  const shown = news.length > maxLines ? news.slice(-maxLines) : news;
  const more = news.length - shown.length;
  const rest = more > 0 ? [style.dim(`${more} more: ikigai tool list`)] : [];
  input.aside(() => screen.print([...rest, ...shown.map(({ text }) => text)].map((text) => `${text}\n`).join("")));
}
