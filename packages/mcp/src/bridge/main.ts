// The program that speaks MCP: calls a server's tools, says what a server has, logs in and out.
import { createInterface } from "node:readline";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { writeAll } from "@ikigai/system";
import { complain, describeFailure } from "@ikigai/tool-sdk/internal";
import { currentLogin, readLogins, removeLogins } from "../server/secrets-file.ts";
import { createAuthFetch } from "./auth/access.ts";
import { type LoginOptions, login } from "./auth/login.ts";
import { BridgeError, toErrorAnswer } from "./bridge-error.ts";
import { readUrl } from "./http/open-http.ts";
import { inspect } from "./inspect.ts";
import { addedTool, callOnce, openBridge, serve } from "./serve-calls.ts";
import { requestedPlace, type ServerPlace } from "./server-place.ts";

const usage = `This program calls the tools of an MCP server. The tools that \`ikigai mcp add\` creates start it.
Usage: bridge.mjs PACKAGE TOOL < ARGUMENTS`;

/** As shells report SIGTERM. */
const terminated = 143;

void main(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    complain(describeFailure(error));
    process.exit(1);
  },
);

async function main([first = "", name, ...rest]: readonly string[]): Promise<number> {
  const { env, stdin } = process;
  if (first === "inspect" && name === undefined) {
    const context = { env, signal: whenTerminated(), log };
    const request: unknown = JSON.parse((await readAll(context.signal)).toString("utf8"));
    writeAll(1, JSON.stringify(await inspect(isJsonObject(request) ? request : {}, context)));
    return 0;
  }
  if ((first === "login" || first === "logout") && name === undefined) {
    await runLogin(first, { env, lines: createInterface({ input: stdin }), write, log });
    return 0;
  }
  if (name === undefined || rest.length > 0 || stdin.isTTY) {
    complain(usage);
    return 2;
  }
  const bridge = openBridge(first, { env, log });
  const tool = addedTool(bridge, name);
  if (env.IKIGAI_SERVE === "1") return serve(bridge);
  const signal = whenTerminated();
  try {
    write(await callOnce(bridge, tool, await readAll(signal), signal));
    return 0;
  } catch (error) {
    if (signal.aborted) return terminated;
    throw error;
  }
}

/** Aborted by SIGTERM, and by Ctrl-C in the terminal: the server has a process group of its own. */
function whenTerminated(): AbortSignal {
  const abort = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => abort.abort());
  return abort.signal;
}

/** Reads all of stdin. @throws if the signal ends it before. */
async function readAll(signal: AbortSignal): Promise<Buffer> {
  const { stdin } = process;
  signal.addEventListener("abort", () => stdin.destroy());
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk);
  signal.throwIfAborted();
  return Buffer.concat(chunks);
}

function write(line: string): void {
  writeAll(1, `${line}\n`);
}

/** Writes whole lines to stderr. */
function log(lines: string): void {
  complain(lines.replace(/\n$/, ""));
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
