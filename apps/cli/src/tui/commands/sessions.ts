import {
  asTyped,
  expectedMessage,
  forkConversation,
  isSessionOpen,
  listSessions,
  type ResumedConversation,
  resumeConversation,
  type SessionSummary,
  startConversation,
  type UserTurn,
  userTurns,
} from "@ikigai/agent/internal";
import { slashCommand } from "../../help/slash-command-table.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { age, fileSize } from "../../render/times-and-sizes.ts";
import { chooseLetter, pick } from "../app/open-dialog.ts";
import { say, type Tui, type TuiCommand } from "../app/tui.ts";
import { changeConversation, showConversation } from "./change-conversation.ts";

function placeOf({ session }: Tui) {
  const { places, secrets } = session.agent;
  return { home: places.home, cwd: places.projectDir, secrets };
}

function startNew(tui: Tui): void {
  changeConversation(tui, startConversation(placeOf(tui)));
}

export const fresh: TuiCommand = {
  ...slashCommand("new"),
  run(_, tui) {
    startNew(tui);
    say(tui, "New session. Use /resume to return to the previous one.");
  },
};

export const clear: TuiCommand = {
  ...slashCommand("clear"),
  run(_, tui) {
    startNew(tui);
    tui.surface.clear();
  },
};

export const resume: TuiCommand = {
  ...slashCommand("resume"),
  async run(wanted, tui) {
    await catching(tui, async () => {
      const id = isId(wanted) ? wanted : await pickSession(tui, wanted);
      if (id !== undefined) await resumeSession(tui, id);
    });
  },
};

/** Lets the user pick the session to begin with; false if they cancel. */
export async function resumeAtStart(tui: Tui): Promise<boolean> {
  let isPicked = true;
  await catching(tui, async () => {
    const id = await pickSession(tui, "");
    isPicked = id !== undefined;
    if (id !== undefined) await resumeSession(tui, id);
  });
  return isPicked;
}

/** IDs begin with a date; anything else filters the list. */
function isId(text: string): boolean {
  return /^\d{4}[\w-]*$/.test(text);
}

async function pickSession(tui: Tui, filter: string): Promise<string | undefined> {
  const { agent } = tui.session;
  const { home, projectDir } = agent.places;
  const others = listSessions(home).filter(({ id }) => id !== agent.conversation.id);
  const isHere = ({ cwd }: SessionSummary) => cwd === projectDir;
  const sorted = [...others.filter(isHere), ...others.filter((session) => !isHere(session))];
  const { dot } = tui.session.screen.signs;
  const choices = sorted.map((session) => {
    const where = isHere(session) ? [] : [shortPath(session.cwd, { projectDir: "" })];
    const remark = [age(session.changedAt), fileSize(session.bytes), ...where].join(` ${dot} `);
    return { value: session.id, label: sanitiseLine(session.title) || "(no messages)", remark };
  });
  const none = filter === "" ? "No other sessions." : "No matching session.";
  return pick(tui, { title: "Session", choices, none, filter });
}

async function resumeSession(tui: Tui, id: string): Promise<void> {
  const place = placeOf(tui);
  const { conversation } = tui.session.agent;
  if (id === conversation.id) return;
  if (!isSessionOpen(place.home, id)) return switchTo(tui, resumeConversation({ ...place, id }));
  const question = "Another ikigai has this session open. Work on a copy?   y yes   n no ";
  if ((await chooseLetter(tui, question, "yn")) === "y") switchTo(tui, forkConversation({ ...place, id }));
}

/** Switches to a session and shows it. */
function switchTo(tui: Tui, { conversation, notices }: ResumedConversation): void {
  changeConversation(tui, conversation);
  showConversation(tui, conversation.messages);
  for (const notice of notices) say(tui, tui.theme.style.yellow(sanitise(notice)));
}

export const fork: TuiCommand = {
  ...slashCommand("fork"),
  async run(_, tui) {
    await catching(tui, async () => {
      const { conversation } = tui.session.agent;
      const turn = await pickTurn(tui, "Fork before");
      if (turn === undefined) return;
      const before = turn === "end" ? {} : { before: turn.seq };
      switchTo(tui, forkConversation({ ...placeOf(tui), id: conversation.id, ...before }));
      if (turn !== "end") tui.editor.setText(asTyped(turn));
      say(tui, "Forked into a new session. Use /resume to return to the original.");
    });
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

/** Shows an expected error, for example of the system or the session file. */
export async function catching(tui: Tui, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    say(tui, tui.theme.style.red(sanitise(expectedMessage(error))));
  }
}
