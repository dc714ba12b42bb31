import { type Choice, matchingChoices, type PickOptions, sanitise, sanitiseLine } from "@ikigai/screen";
import {
  AgentError,
  asTyped,
  forkConversation,
  isSessionOpen,
  listSessions,
  type ResumedConversation,
  resumeConversation,
  type SessionSummary,
  sessionProblems,
  startConversation,
  takeUp,
  type UserTurn,
  userTurns,
} from "@ikigai/session";
import { slashCommand } from "../../help/slash-command-table.ts";
import { age, fileSize, shortPath } from "../../render/short-forms.ts";
import { chooseLetter, pick } from "../app/open-dialog.ts";
import { putBack } from "../app/submit.ts";
import { catching, say, type Tui, type TuiCommand } from "../app/tui.ts";
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

export const fresh: TuiCommand = {
  ...slashCommand("new"),
  run(_, tui) {
    say(tui, startNew(tui));
  },
};

export const clear: TuiCommand = {
  ...slashCommand("clear"),
  run(_, tui) {
    const told = startNew(tui);
    tui.surface.clear();
    say(tui, told);
  },
};

export const resume: TuiCommand = {
  ...slashCommand("resume"),
  async run(wanted, tui) {
    const id = isId(wanted) ? wanted : await pickSession(tui, { filter: wanted, empty: "No other sessions." });
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

export const fork: TuiCommand = {
  ...slashCommand("fork"),
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

/** Lets the user pick one of the stored sessions, those of this directory first; `undefined` if they cancel, or the filter matches none. */
async function pickSession(
  tui: Tui,
  options: Pick<PickOptions<string>, "filter" | "empty" | "onKey">,
): Promise<string | undefined> {
  const { agent } = tui.session;
  const { home, projectDir } = agent.places;
  const others = storedSessions(tui, home).filter(({ id }) => id !== agent.conversation.id);
  const isHere = ({ cwd }: SessionSummary) => cwd === projectDir;
  const sorted = [...others.filter(isHere), ...others.filter((session) => !isHere(session))];
  const { dot } = tui.session.screen.signs;
  const choices: Choice<string>[] = sorted.map((session) => {
    const where = isHere(session) ? [] : [shortPath(session.cwd, { projectDir: "" })];
    const remark = [age(session.changedAt), fileSize(session.bytes), ...where].join(` ${dot} `);
    return { value: session.id, label: sanitiseLine(session.title) || "(no messages)", remark };
  });
  const { filter = "" } = options;
  if (choices.length > 0 && matchingChoices(choices, filter).length === 0) {
    say(tui, `No session ${sanitiseLine(filter)} found. /resume lists the sessions.`);
    return undefined;
  }
  return pick(tui, { title: "Session", choices, ...options });
}

/** All sessions that can be read; says why others cannot. */
function storedSessions(tui: Tui, home: string): SessionSummary[] {
  for (const problem of sessionProblems(home)) say(tui, tui.theme.style.yellow(sanitise(problem)));
  try {
    return listSessions(home);
  } catch (error) {
    // One of the problems above.
    if (error instanceof AgentError) return [];
    throw error;
  }
}
