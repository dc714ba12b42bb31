import { AgentError, listSessions, type SessionSummary, sessionProblems } from "@ikigai/agent/internal";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { age, fileSize } from "../../render/times-and-sizes.ts";
import { pick } from "../app/open-dialog.ts";
import { say, type Tui } from "../app/tui.ts";
import { type Choice, matchingChoices, type PickOptions } from "../components/pick-dialog.ts";

/** Lets the user pick one of the stored sessions, those of this directory first; `undefined` if they cancel, or the filter matches none. */
export async function pickSession(
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
