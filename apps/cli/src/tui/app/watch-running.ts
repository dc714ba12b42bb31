import { type AgentEvent, isJobRunning } from "@ikigai/agent/internal";
import { redact } from "@ikigai/system";
import { sanitiseLine } from "../../render/sanitise.ts";
import type { RunningJob } from "../components/running.ts";
import { cutStyled } from "../pi-tui/text.ts";
import { openAgents, openJobs } from "./open-work.ts";
import { say, type Tui } from "./tui.ts";

/** How often to look while something runs, in milliseconds. Without anything there is no timer. */
const lookMs = 1_000;

const timers = new WeakMap<Tui, NodeJS.Timeout>();

/** Notes what a result of a tool has left running. */
export function noteResult(tui: Tui, event: Extract<AgentEvent, { type: "tool_result" }>, args: string): void {
  const started = event.name === "bash" ? jobIn(event.envelope, args) : undefined;
  look(tui, started ? [...tui.running.jobs, started] : tui.running.jobs);
}

/** Notes what an earlier process left running in this conversation, and what still runs of one that the user has left. */
export function noteEarlier(tui: Tui): void {
  try {
    look(
      tui,
      openJobs(tui).filter(({ isRunning }) => isRunning),
    );
  } catch {
    // The session cannot be read, which is reported elsewhere.
  }
}

/** Updates what runs, and says which jobs have ended. */
function look(tui: Tui, jobs: readonly RunningJob[]): void {
  const { agent, screen } = tui.session;
  const running = jobs.filter(isJobRunning);
  const agents = openAgents(tui).length;
  const services = agent.spares.services.list().length;
  const { running: before } = tui;
  const isNews = before.jobs.length !== running.length || before.agents !== agents || before.services !== services;
  if (isNews) tui.setRunning({ jobs: running, agents, services });
  // The message to the model says it, too.
  const isTold = ({ pid }: RunningJob) => agent.config.jobs?.wake !== false && agent.jobs.isForModel(pid);
  for (const job of jobs.filter((one) => !running.includes(one) && !isTold(one))) {
    const command = cutStyled(sanitiseLine(job.command), Math.max(16, screen.columns - 24), screen.signs.cut);
    say(tui, tui.theme.style.dim(`job ended: ${command} ${screen.signs.dot} /jobs`));
  }
  clearTimeout(timers.get(tui));
  if (running.length + agents + services === 0) return;
  timers.set(tui, setTimeout(() => look(tui, tui.running.jobs), lookMs).unref());
}

function jobIn(
  envelope: Extract<AgentEvent, { type: "tool_result" }>["envelope"],
  args: string,
): RunningJob | undefined {
  if (!envelope.tool_success) return undefined;
  const { pid, log } = envelope.result;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 2 || typeof log !== "string") return undefined;
  return { pid, command: commandIn(args), startedAt: new Date() };
}

function commandIn(args: string): string {
  try {
    const { command } = JSON.parse(args) as { command?: unknown };
    return typeof command === "string" ? command : "";
  } catch {
    return "";
  }
}

/**
 * Has the end of a job start a turn once nothing runs, unless the user does not want that.
 *
 * @param begin runs a turn with this message
 */
export function wakeForJobs(tui: Tui, begin: (text: string) => Promise<void>): void {
  const { jobs, config, secrets } = tui.session.agent;
  if (config.jobs?.wake === false) return;
  const tell = async () => {
    // A turn that ran meanwhile may have told it.
    const news = jobs.takeNews(tui.session.agent.conversation.id);
    if (news.length > 0) await begin(redact(news.join("\n\n"), secrets));
  };
  jobs.whenNews(() => tui.scheduler.runAtRest(tell));
}
