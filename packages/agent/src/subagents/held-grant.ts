import type { HeldGrant } from "./agent-state.ts";
import { readGrant } from "./grant.ts";
import { limitsFor } from "./granted-permission.ts";
import { claimOwnSlot } from "./own-slot.ts";

/**
 * Returns the grant in the value of `IKIGAI_AGENT_GRANT`.
 *
 * @throws AgentError `grant` if it cannot be read: nothing may run then.
 */
export function holdGrant(text: string): HeldGrant {
  const grant = readGrant(text);
  return {
    grant,
    limitsFor: (place) => limitsFor(grant, place),
    claim: (home, conversation) => claimOwnSlot(grant, home, conversation),
  };
}
