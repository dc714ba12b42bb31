import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { type LoginOptions, login } from "./auth/login.ts";
import { logout } from "./auth/logout.ts";
import { BridgeError, toErrorAnswer } from "./bridge-error.ts";
import { requestedPlace } from "./requested-place.ts";

declare const IKIGAI_VERSION: string;

export interface LoginContext {
  readonly env: NodeJS.ProcessEnv;
  /** The lines of stdin. */
  readonly lines: AsyncIterable<string>;
  /** Writes one object as a line to stdout. */
  readonly write: (line: string) => void;
  readonly log: (text: string) => void;
}

/**
 * Logs in or out. Reads a request from the first line: as for `inspect`, with `clientId` and `callbackPort`; the URLs that the user
 * pastes are further lines. Writes `{open, codeGoesTo?}` for a login; in the end `{issuer}`, `{isRevoked}` or `{error, error_code}`.
 */
export async function runLogin(verb: "login" | "logout", { env, lines, write, log }: LoginContext): Promise<void> {
  const input = lines[Symbol.asyncIterator]();
  try {
    const request = readRequest((await input.next()).value);
    const place = requestedPlace(request, env);
    const version = IKIGAI_VERSION;
    const wire = { version, open: (event: object) => write(JSON.stringify(event)), pasted: rest(input), log };
    const done = verb === "login" ? await login(place, optionsOf(request), wire) : await logout(place, version);
    write(JSON.stringify(done));
  } catch (error) {
    const known =
      error instanceof BridgeError ? error : new BridgeError("MCP_REQUEST_FAILED", (error as Error).message);
    write(JSON.stringify(toErrorAnswer(known)));
  }
}

/** What is left of an iterator. `for await` over an iterable ends it; two readers of stdin would lose lines. */
function rest(input: AsyncIterator<string>): AsyncIterable<string> {
  return { [Symbol.asyncIterator]: () => input };
}

function readRequest(line: string | undefined): JsonObject {
  const request: unknown = JSON.parse(line ?? "null");
  if (isJsonObject(request)) return request;
  throw new TypeError("Expected a request on stdin.");
}

function optionsOf({ clientId, callbackPort }: JsonObject): LoginOptions {
  return {
    clientId: typeof clientId === "string" ? clientId : undefined,
    callbackPort: typeof callbackPort === "number" ? callbackPort : undefined,
  };
}
