import { trust, trustStatus } from "@ikigai/core";
import { projectOverrides, type TrustStatus } from "@ikigai/core/internal";
import { renderTrust } from "../render/render-trust.ts";
import { sanitiseLine } from "../render/sanitise.ts";
import type { Session } from "./session.ts";

/**
 * Shows what a project brings that is not trusted yet, and asks whether it may be used: only a clear yes is one.
 *
 * @returns how things stand afterwards.
 */
export async function offerTrust({ agent, screen, input }: Session): Promise<TrustStatus> {
  const { places } = agent;
  const seen = await trustStatus(places);
  if (seen.status === "nothing" || seen.status === "trusted") return seen.status;
  screen.print(renderTrust(seen, projectOverrides(places.directories), places));
  if (seen.problem !== undefined) return seen.status;
  if (!input.canAsk) {
    screen.print("There is nobody to ask here. Run: ikigai trust\n");
    return seen.status;
  }
  screen.print(`${screen.style.bold("Trust this?")} Its tools would run with your rights.   y yes   n no  `);
  const answer = await input.choose("yn", new AbortController().signal);
  if (answer !== "y") {
    screen.print("Not trusted: nothing of it is used. /trust asks again.\n\n");
    return seen.status;
  }
  try {
    const { status } = await trust({ ...places, seen });
    screen.print(
      status === "trusted" ? "Trusted, until one of these files changes.\n\n" : "It has changed meanwhile: /trust\n\n",
    );
    return status;
  } catch (error) {
    screen.print(`Not trusted: the decision cannot be stored: ${sanitiseLine((error as Error).message)}\n\n`);
    return seen.status;
  }
}
