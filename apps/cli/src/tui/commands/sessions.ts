// /new, /clear, /resume and /fork. In reading order: the commands, the switch to a session, and the lists that a session or a message is picked
// from.

import { type Choice, matchingChoices, type PickOptions, sanitise, sanitiseLine } from "@ikigai/screen";
import {
  AgentError,
  asTyped,
  automaticName,
  type CatalogSession,
  filterSessions,
  forkConversation,
  isSessionOpen,
  type ResumedConversation,
  resumeConversation,
  searchSessions,
  sessionCatalog,
  sessionProblems,
  startConversation,
  takeUp,
  type UserTurn,
  userTurns,
} from "@ikigai/session";
import { age, fileSize, shortPath } from "../../render/short-forms.ts";
import { chooseLetter, pick } from "../app/open-dialog.ts";
import { putBack } from "../app/submit.ts";
import { catching, type ScreenHandler, say, type Tui } from "../app/tui.ts";
import { changeConversation, showConversation } from "./change-conversation.ts";
import { useModelOfSession } from "./models.ts";

function placeOf({ session }: Tui) {
  const { places, secrets } = session.agent;
  return { home: places.home, cwd: places.projectDir, secrets };
}

/** Starts a new session. Returns what to tell the user. */
function startNew(tui: Tui): string {
  const isEmpty = tui.session.agent.conversation.messages.length === 0;
  changeConversation(tui, startConversation(placeOf(tui)));
  const { jobs, agents } = tui.running;
  const shown = [jobs.length > 0 ? "/jobs" : "", agents > 0 ? "/agents" : ""].filter(Boolean).join(" and ");
  const back = isEmpty ? "" : " Use /resume to return to the previous one.";
  return `New session.${back}${shown === "" ? "" : ` What runs in the background keeps running: ${shown}.`}`;
}

export const fresh: ScreenHandler = {
  run(_, tui) {
    say(tui, startNew(tui));
  },
};

export const clear: ScreenHandler = {
  run(_, tui) {
    const told = startNew(tui);
    tui.surface.clear();
    say(tui, told);
  },
};

export const resume: ScreenHandler = {
  async run(wanted, tui) {
    tellProblems(tui);
    const id = isId(wanted) ? wanted : await chooseSession(tui, wanted);
    if (id !== undefined) await resumeSession(tui, id, { keepModel: false });
  },
};

/**
 * Lets the user pick the session to begin with, until one opens; false if they cancel.
 *
 * @param keepModel whether the command line names the model
 */
export async function resumeAtStart(tui: Tui, { keepModel }: { readonly keepModel: boolean }): Promise<boolean> {
  let isOpen = false;
  tellProblems(tui);
  while (!isOpen) {
    const id = await pickSession(tui, { empty: "No saved sessions." });
    if (id === undefined) return false;
    await catching(tui, async () => {
      isOpen = await resumeSession(tui, id, { keepModel });
    });
  }
  return true;
}

/** IDs begin with a date; anything else filters the list. */
function isId(text: string): boolean {
  return /^\d{4}[\w-]*$/.test(text);
}

/** Switches to a session, or to a copy if it is open elsewhere; false if the user wants no copy. */
export async function resumeSession(
  tui: Tui,
  id: string,
  { keepModel }: { readonly keepModel: boolean },
): Promise<boolean> {
  const place = placeOf(tui);
  if (id === tui.session.agent.conversation.id) return true;
  const isElsewhere = isSessionOpen(place.home, id);
  const question = "Another ikigai has this session open. Work on a copy?   y yes   n no ";
  if (isElsewhere && (await chooseLetter(tui, question, "yn")) !== "y") return false;
  const opened = isElsewhere ? forkConversation({ ...place, id }) : resumeConversation({ ...place, id });
  takeUp({ ...place, ...opened });
  switchTo(tui, opened);
  if (!keepModel) await useModelOfSession(tui);
  return true;
}

/** Switches to a session and shows it. */
function switchTo(tui: Tui, { conversation, notices }: ResumedConversation): void {
  changeConversation(tui, conversation);
  showConversation(tui, conversation);
  for (const notice of notices) say(tui, tui.theme.style.yellow(sanitise(notice)));
}

export const fork: ScreenHandler = {
  async run(_, tui) {
    const { conversation } = tui.session.agent;
    const turn = await pickTurn(tui, "Fork before");
    if (turn === undefined) return;
    const before = turn === "end" ? {} : { before: turn.seq };
    switchTo(tui, forkConversation({ ...placeOf(tui), id: conversation.id, ...before }));
    if (turn !== "end") putBack(tui, [asTyped(turn)]);
    say(tui, "Forked into a new session. Use /resume to return to the original.");
  },
};

/** Lets the user pick one of their messages, or the end. */
export async function pickTurn(
  tui: Tui,
  title: string,
  { withEnd = true } = {},
): Promise<UserTurn | "end" | undefined> {
  const { conversation } = tui.session.agent;
  if (conversation.messages.length === 0) {
    say(tui, "No messages yet.");
    return undefined;
  }
  const turns = userTurns(conversation).map((turn) => ({
    value: turn,
    label: sanitiseLine(asTyped(turn).replace(/\s+/g, " ")),
    remark: age(turn.time),
  }));
  const end = withEnd ? [{ value: "end" as const, label: "(the end of the session)" }] : [];
  const choices = [...turns, ...end];
  return pick<UserTurn | "end">(tui, { title, choices, selected: choices.length - 1 });
}

/** Returns the session with this name, else what the user picks: from those that the words filter, or from those that say them. */
async function chooseSession(tui: Tui, wanted: string): Promise<string | undefined> {
  const { home } = tui.session.agent.places;
  const named = wanted === "" ? [] : listed(tui).filter(({ name }) => name === wanted);
  if (named.length === 1) return named[0]?.id;
  if (wanted === "" || matchingChoices(sessionChoices(tui), wanted).length > 0)
    return pickSession(tui, { filter: wanted, empty: "No other sessions." });
  const words = wanted.split(/\s+/);
  const hits = searchSessions(filterSessions(sessionCatalog(home), {}, ""), words, { limit: 50 });
  const found = hits.map(({ session, where, snippet }) => {
    const remark = sanitiseLine(`${where}: ${snippet}`);
    return { value: session.id, label: sanitiseLine(session.name), remark };
  });
  if (found.length > 0) return pick(tui, { title: `Sessions with ${sanitiseLine(wanted)}`, choices: found });
  say(tui, `No session ${sanitiseLine(wanted)} found. /resume lists the sessions.`);
  return undefined;
}

/** The other sessions, those of this directory first. */
function listed(tui: Tui): CatalogSession[] {
  const { conversation, places } = tui.session.agent;
  const others = catalog(places.home).filter(
    ({ id, parent, isArchived }) => id !== conversation.id && !parent && !isArchived,
  );
  const isHere = ({ cwd }: CatalogSession) => cwd === places.projectDir;
  return [...others.filter(isHere), ...others.filter((session) => !isHere(session))];
}

function sessionChoices(tui: Tui): Choice<string>[] {
  const { projectDir } = tui.session.agent.places;
  const { dot } = tui.session.screen.signs;
  return listed(tui).map(({ id, name, title, cwd, changedAt, turns, bytes }) => {
    const where = cwd === projectDir ? [] : [shortPath(cwd, { projectDir: "" })];
    const size = turns > 0 ? (turns === 1 ? "1 turn" : `${turns} turns`) : fileSize(bytes);
    const given = name === automaticName(title) ? [] : [name];
    const remark = [age(changedAt), size, ...where].join(` ${dot} `);
    const label = [...given, title || "(no messages)"].map((text) => sanitiseLine(text)).join(` ${dot} `);
    return { value: id, label, remark };
  });
}

/** Lets the user pick one of the stored sessions, those of this directory first; `undefined` if they cancel. */
async function pickSession(
  tui: Tui,
  options: Pick<PickOptions<string>, "filter" | "empty" | "onKey">,
): Promise<string | undefined> {
  return pick(tui, { title: "Session", choices: sessionChoices(tui), ...options });
}

function tellProblems(tui: Tui): void {
  const { home } = tui.session.agent.places;
  for (const problem of sessionProblems(home)) say(tui, tui.theme.style.yellow(sanitise(problem)));
}

/** All sessions that can be read. */
function catalog(home: string): CatalogSession[] {
  try {
    return sessionCatalog(home);
  } catch (error) {
    // tellProblems reports it.
    if (error instanceof AgentError) return [];
    throw error;
  }
}
