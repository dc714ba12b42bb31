import { renderFailure } from "@ikigai/core/internal";
import { untrustedNotice } from "../render/report-skipped.ts";
import { sanitiseLine } from "../render/sanitise.ts";
import type { Session } from "./session.ts";

/** Waits for the tools, and says of those that cannot be used why: once, until something about them changes. */
export async function reportLoadErrors({ agent, screen, input, told }: Session): Promise<void> {
  const { failed, problems } = await agent.toolbox.current();
  const { style } = screen;
  const untrusted = untrustedNotice(failed);
  const lines = [
    ...failed
      .filter(({ reason }) => reason !== "untrusted")
      .map((failure) => ({
        key: `${failure.path}\n${failure.reason}\n${failure.detail}`,
        text: style.dim(`${sanitiseLine(renderFailure(failure))}`),
      })),
    ...problems.map((problem) => ({ key: problem, text: style.yellow(sanitiseLine(problem)) })),
    ...(untrusted === undefined ? [] : [{ key: untrusted, text: style.yellow(untrusted) }]),
  ];
  const news = lines.filter(({ key }) => !told.has(key));
  // What is mended and breaks again is worth saying again.
  told.clear();
  for (const { key } of lines) told.add(key);
  if (news.length > 0) input.aside(() => screen.print(news.map(({ text }) => `${text}\n`).join("")));
}
