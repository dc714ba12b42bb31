import { createInterface } from "node:readline";
import { BrokenFrame, isJsonObject, type JsonObject } from "@ikigai/protocol";
import { lineReader, writeAll } from "@ikigai/system";
import { currentLogin, readLogins, removeLogins } from "../server/secrets-file.ts";
import { createAuthFetch } from "./auth/auth-fetch.ts";
import { type LoginOptions, login } from "./auth/login.ts";
import { BridgeError, toErrorAnswer } from "./bridge-error.ts";
import { readUrl } from "./http/open-http.ts";
import { inspect } from "./inspect.ts";
import { callOnce } from "./one-shot.ts";
import { openBridge } from "./open-bridge.ts";
import { serve } from "./serve-calls.ts";
import { requestedPlace, type ServerPlace } from "./server-place.ts";

const usage = `This program calls the tools of an MCP server. The tools that \`ikigai mcp add\` creates start it.
Usage: bridge.mjs PACKAGE TOOL < ARGUMENTS
`;

/** As shells report SIGTERM. */
const terminated = 143;

void main(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    complain(`${error instanceof BrokenFrame ? error.message : String((error as Error).stack ?? error)}\n`);
    process.exit(1);
  },
);

async function main([first = "", name, ...rest]: readonly string[]): Promise<number> {
  const { env, stdin } = process;
  if (first === "inspect" && name === undefined) {
    const context = { env, signal: whenTerminated(), log: complain };
    const request: unknown = JSON.parse(await readAll(context.signal));
    writeAll(1, JSON.stringify(await inspect(isJsonObject(request) ? request : {}, context)));
    return 0;
  }
  if ((first === "login" || first === "logout") && name === undefined) {
    await runLogin(first, { env, lines: createInterface({ input: stdin }), write, log: complain });
    return 0;
  }
  if (name === undefined || rest.length > 0 || stdin.isTTY) {
    complain(usage);
    return 2;
  }
  const bridge = openBridge(first, env);
  const tool = bridge.pack.tools.tools.find((one) => one.tool === name);
  if (!tool) {
    complain(`The MCP server ${bridge.pack.server.name} has no tool ${JSON.stringify(name)}.\n`);
    return 1;
  }
  if (env.IKIGAI_SERVE === "1") {
    delete env.IKIGAI_SERVE;
    return serve(bridge, { lines: frames(), write, log: complain });
  }
  const signal = whenTerminated();
  const end = await readAll(signal)
    .then((input) => callOnce(bridge, { tool, input, signal, log: complain }))
    .catch((error) => {
      if (signal.aborted) return undefined;
      throw error;
    });
  if (end === undefined) return terminated;
  if ("refusal" in end) complain(`${end.refusal}\n`);
  else writeAll(1, `${end.answer}\n`);
  return "refusal" in end ? 1 : 0;
}

/** Aborted by SIGTERM, and by Ctrl-C in the terminal: the server has a process group of its own. */
function whenTerminated(): AbortSignal {
  const abort = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => abort.abort());
  return abort.signal;
}

/** The lines of stdin; SIGTERM is an end of it, too. */
async function* frames(): AsyncGenerator<string> {
  const { stdin } = process;
  process.once("SIGTERM", () => stdin.destroy());
  const lines: string[] = [];
  const reader = lineReader(Number.POSITIVE_INFINITY, (line) => lines.push(line.toString("utf8")));
  try {
    for await (const chunk of stdin) {
      reader.add(chunk);
      yield* lines.splice(0);
    }
  } catch (error) {
    // Destroyed by SIGTERM.
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

/** Reads all of stdin. @throws if the signal ends it before. */
async function readAll(signal: AbortSignal): Promise<string> {
  const { stdin } = process;
  signal.addEventListener("abort", () => stdin.destroy());
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk);
  signal.throwIfAborted();
  return Buffer.concat(chunks).toString("utf8");
}

function write(line: string): void {
  writeAll(1, `${line}\n`);
}

function complain(text: string): void {
  try {
    writeAll(2, text);
  } catch {
    // stderr is closed.
  }
}

declare const IKIGAI_VERSION: string;

interface LoginContext {
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
async function runLogin(verb: "login" | "logout", { env, lines, write, log }: LoginContext): Promise<void> {
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

/**
 * Removes the tokens of a server, and asks the authorization server to revoke them.
 *
 * @returns whether it did; many have no endpoint for that.
 * @throws LockError, the system's error, BridgeError if the URL is invalid.
 */
async function logout(place: ServerPlace, version: string): Promise<{ readonly isRevoked: boolean }> {
  const { name, url, dataDir, env } = place;
  const login = currentLogin(readLogins(dataDir, url));
  await removeLogins(dataDir);
  const { tokens, revocationEndpoint, client } = login ?? {};
  if (!tokens || revocationEndpoint === undefined) return { isRevoked: false };
  const { fetch, close } = await createAuthFetch({ server: name, url: readUrl(url, name), version, env });
  try {
    const isAnswered = await Promise.all(
      [tokens.refresh, tokens.access].flatMap((token) => (token === undefined ? [] : [revoke(token)])),
    );
    return { isRevoked: isAnswered.every(Boolean) };
  } catch {
    // The tokens are gone from here; the authorization server ends them when they expire.
    return { isRevoked: false };
  } finally {
    close();
  }

  async function revoke(token: string): Promise<boolean> {
    const { id = "", secret } = client ?? {};
    const body = new URLSearchParams({ token, client_id: id, ...(secret !== undefined && { client_secret: secret }) });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const { ok } = await fetch(revocationEndpoint ?? "", { method: "POST", headers, body });
    return ok;
  }
}
