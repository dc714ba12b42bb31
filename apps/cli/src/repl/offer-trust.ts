import { projectOverrides, trust, trustStatus } from "@ikigai/core";
import { renderTrust } from "../screen/render-trust.ts";
import type { Session } from "./session.ts";

/** Shows what a project brings that is not trusted yet, and asks. The answer is no unless it is yes. */
export async function offerTrust({ agent, screen, input, env }: Session): Promise<void> {
  const report = await trustStatus(agent.places);
  if (report.status !== "untrusted" && report.status !== "changed") return;
  screen.print(renderTrust(report, projectOverrides(agent.places.directories), env));
  if (report.problem) return;
  const answer = await input.ask(
    "Do you trust this? Its tools run with your rights.  y yes   N no  ",
    new AbortController().signal,
  );
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) {
    screen.print("Not trusted: nothing of it is used. /trust asks again.\n\n");
    return;
  }
  await trust({ ...agent.places, seen: report });
  screen.print("Trusted, until one of these files changes.\n\n");
}
