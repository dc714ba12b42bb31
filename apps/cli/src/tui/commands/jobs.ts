// /jobs: background jobs and services, their logs, and how one is ended.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { BackgroundJob } from "@ikigai/agent/internal";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { age } from "../../render/short-forms.ts";
import { renderRunning, type ServiceInfo } from "../../render/tool/render-tool.ts";
import { chooseLetter, openViewer, pick } from "../app/open-dialog.ts";
import { endJob, openJobs } from "../app/open-work.ts";
import { type ScreenHandler, say, type Tui } from "../app/tui.ts";

export const jobs: ScreenHandler = {
  async run(_, tui) {
    const { agent } = tui.session;
    const found = openJobs(tui).map((job) => ({
      value: () => manageJob(tui, job),
      label: `${job.number === undefined ? "" : `${job.number}  `}${sanitiseLine(job.command)}`,
      remark: `${job.isRunning ? `pid ${job.pid}` : "ended"}, started ${age(job.startedAt)}${job.isEarlier ? ", earlier session" : ""}`,
    }));
    const services = agent.spares.services.list().map((service) => ({
      value: () => manageService(tui, service),
      label: `service ${service.name}`,
      remark: renderRunning(service),
    }));
    const choices = [...services, ...found];
    if (choices.length === 0) return say(tui, "No background jobs and no services.");
    const title = services.length > 0 ? "Background jobs and services" : "Background jobs";
    const manage = await pick(tui, { title, choices });
    await manage?.();
  },
};

async function manageService(tui: Tui, { name, log, end }: ServiceInfo): Promise<void> {
  const shows = log === undefined ? "" : "l show log   ";
  const letter = await chooseLetter(
    tui,
    `service ${name}   ${shows}e end it   esc cancel `,
    log === undefined ? "e" : "le",
  );
  if (letter === "l" && log !== undefined) showLog(tui, log);
  if (letter !== "e") return;
  await end();
  say(tui, `Ended: service ${name}`);
}

async function manageJob(tui: Tui, job: BackgroundJob): Promise<void> {
  const end = job.isRunning ? "   e end it" : "";
  const letter = await chooseLetter(
    tui,
    `${sanitiseLine(job.command)}   l show log${end}   esc cancel `,
    job.isRunning ? "le" : "l",
  );
  if (letter === "l") showLog(tui, job.log);
  if (letter === "e") await endJob(tui, job);
}

function showLog(tui: Tui, path: string): void {
  openViewer(tui, { title: sanitiseLine(path), parts: () => [logLines(path)], isAtEnd: true, isLive: true });
}

/** Shown from the end of a log, in bytes. */
const maxLogBytes = 1_048_576;

function logLines(path: string): string[] {
  try {
    // The command can put a link there.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(fd);
      const buffer = Buffer.alloc(Math.min(size, maxLogBytes));
      const bytes = readSync(fd, buffer, 0, buffer.length, Math.max(0, size - buffer.length));
      return sanitise(buffer.toString("utf8", 0, bytes).replaceAll("\r\n", "\n")).split("\n");
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return [sanitiseLine((error as Error).message)];
  }
}
