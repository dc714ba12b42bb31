import type { HeldGrant } from "./agent-state.ts";
import { readGrant } from "./grant.ts";
import { limitsFor } from "./granted-permission.ts";
import { claimOwnSlot } from "./own-slot.ts";
import { openParentLink } from "./parent-link.ts";
import { parentUser } from "./parent-user.ts";

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
    parentUser(env, directory) {
      const link = openParentLink(env);
      return link && parentUser(link, directory);
    },
    claim: (home, conversation) => claimOwnSlot(grant, home, conversation),
  };
}
