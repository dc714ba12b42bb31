import { overridesOf } from "@ikigai/agent/internal";
import { trust, trustStatus } from "@ikigai/core";
import type { TrustStatus } from "@ikigai/core/internal";
import { renderTrust, storeProblem, trustEffect } from "../render/render-trust.ts";
import { untrustedNotice } from "../render/report-tools.ts";
import type { Session } from "./session.ts";

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
