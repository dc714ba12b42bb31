import { type AuthProvider, extractWWWAuthenticateParams, UnauthorizedError } from "@modelcontextprotocol/client";
import { connect } from "../connect.ts";
import type { ServerPlace } from "../server-place.ts";
import type { TransportOptions } from "../server-transport.ts";

/** How long the server may take to answer, in milliseconds. */
const answerMs = 30_000;

/** What a server says when it rejects a request without a token. */
type Challenge = ReturnType<typeof extractWWWAuthenticateParams>;

/** Asks a server without a token what a login needs. @throws BridgeError if it cannot be reached. */
export async function challengeOf(
  place: ServerPlace,
  { version, log }: Pick<TransportOptions, "version" | "log">,
): Promise<Challenge> {
  const access = new ChallengeReader();
  try {
    const connection = await connect(place, { version, log, timeoutMs: answerMs, access });
    // Some servers let everyone in and ask for a token later.
    await connection.close();
  } catch (error) {
    if (!access.challenge) throw error;
  }
  return access.challenge ?? {};
}

class ChallengeReader implements AuthProvider {
  challenge: Challenge | undefined;

  async token(): Promise<undefined> {
    return undefined;
  }

  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    this.challenge = extractWWWAuthenticateParams(response);
    throw new UnauthorizedError();
  }
}
