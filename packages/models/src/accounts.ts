// Accounts that the user signs in to instead of having a key: the device flow, new tokens, the end of a sign-in, and a model behind
// such tokens. Neither service documents this for other programs: addresses, client IDs and headers are those that Codex, opencode and
// pi use. None of it was run against the real services.

import { setTimeout as wait } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { type AccountTokens, type ModelConfig, secretsOf } from "./access.ts";
import { ModelError } from "./errors.ts";
import { createFetch, defaultPatience, type Environment, reachJson } from "./http.ts";
import type { Model } from "./model.ts";
import { type AccountName, accounts } from "./providers.ts";
import { knownServer, profileOf } from "./server-profiles.ts";

/** What the user does to sign in, and then gets. */
export interface DeviceCode {
  readonly code: string;
  /** Where to type it. */
  readonly url: string;
  /** Asks whether that was done; `undefined` means not yet. @throws ModelError when it was refused. */
  readonly poll: () => Promise<AccountTokens | "slower" | undefined>;
  readonly intervalMs: number;
  readonly expiresInMs: number;
}

/** How one service signs in. */
interface Flow {
  start(env: Environment): Promise<DeviceCode>;
  /** @throws ModelError `unauthorized` when the service has ended the sign-in. */
  renew(tokens: AccountTokens, env: Environment): Promise<AccountTokens>;
  /** Returns whether the service has ended the sign-in. */
  revoke(tokens: AccountTokens, env: Environment): Promise<boolean>;
  /** The headers of a request to a model. */
  headers(tokens: AccountTokens, body: string): Record<string, string>;
}

/** A sign-in with another process waits for the same lock, for 10 s. */
const timeoutMs = 8_000;

interface Asked {
  readonly body?: JsonObject;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(url: string, asked: Asked, env: Environment): Promise<{ status: number; answer: JsonObject }> {
  const headers = { accept: "application/json", ...asked.headers };
  const { status, text } = await reachJson(url, { ...asked, headers, timeoutMs, env });
  try {
    const answer: unknown = JSON.parse(text);
    return { status, answer: isJsonObject(answer) ? answer : {} };
  } catch {
    return { status, answer: {} };
  }
}

/** @throws ModelError `unauthorized` */
function ended(account: AccountName, status: number): never {
  const { title } = accounts[account];
  throw new ModelError("unauthorized", `${title} has ended the sign-in (${status}). ${signInAgain(account)}`);
}

function signInAgain(account: AccountName): string {
  return `To sign in again: ikigai login ${account}`;
}

/** @throws ModelError */
function refused(account: AccountName, what: string, status: number): never {
  throw new ModelError("unavailable", `${accounts[account].title} ${what} (${status}). Try again later.`, { status });
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** How long a code is valid if the service does not say, in milliseconds. */
const usualLifeMs = 15 * 60_000;

function milliseconds(seconds: unknown, usualMs: number): number {
  const ms = Number(seconds) * 1_000;
  return Number.isFinite(ms) && ms > 0 ? ms : usualMs;
}

const openAi = "https://auth.openai.com";
/** The client ID that Codex has. */
const openAiClient = "app_EMoamEEZ73f0CkXaXp7hrann";

const chatgpt: Flow = {
  async start(env) {
    const started = await ask(`${openAi}/api/accounts/deviceauth/usercode`, { body: { client_id: openAiClient } }, env);
    const { device_auth_id, user_code, usercode, interval } = started.answer;
    const code = textOf(user_code) ?? textOf(usercode);
    if (started.status === 404)
      throw new ModelError(
        "configuration",
        "ChatGPT does not allow device codes for this account. Allow them in ChatGPT, Settings, Security, and try again.",
      );
    if (started.status !== 200 || code === undefined || typeof device_auth_id !== "string")
      return refused("chatgpt", "does not start a sign-in", started.status);
    const asking = { body: { device_auth_id, user_code: code } };
    return {
      code,
      url: `${openAi}/codex/device`,
      intervalMs: milliseconds(interval, 5_000),
      expiresInMs: usualLifeMs,
      async poll() {
        const { status, answer } = await ask(`${openAi}/api/accounts/deviceauth/token`, asking, env);
        if (status === 403 || status === 404) return undefined;
        const granted = textOf(answer.authorization_code);
        if (status !== 200 || granted === undefined) return refused("chatgpt", "refused the sign-in", status);
        const form = {
          grant_type: "authorization_code",
          client_id: openAiClient,
          code: granted,
          code_verifier: textOf(answer.code_verifier) ?? "",
          redirect_uri: `${openAi}/deviceauth/callback`,
        };
        const exchanged = await ask(`${openAi}/oauth/token`, { form }, env);
        const tokens = openAiTokens(exchanged.answer);
        return tokens ?? refused("chatgpt", "refused the sign-in", exchanged.status);
      },
    };
  },
  async renew(tokens, env) {
    const body = { client_id: openAiClient, grant_type: "refresh_token", refresh_token: tokens.refresh };
    const { status, answer } = await ask(`${openAi}/oauth/token`, { body }, env);
    if (status === 400 || status === 401 || status === 403) return ended("chatgpt", status);
    return openAiTokens(answer, tokens) ?? refused("chatgpt", "gives no new token", status);
  },
  async revoke({ refresh }, env) {
    const body = { client_id: openAiClient, token: refresh, token_type_hint: "refresh_token" };
    return (await ask(`${openAi}/oauth/revoke`, { body }, env)).status === 200;
  },
  headers: ({ access, accountId }) => ({
    authorization: `Bearer ${access}`,
    ...(accountId && { "chatgpt-account-id": accountId }),
    originator: "ikigai",
    "openai-beta": "responses=experimental",
  }),
};

/** Reads an answer with tokens; what it lacks stays as before. */
function openAiTokens(answer: JsonObject, before?: AccountTokens): AccountTokens | undefined {
  const access = textOf(answer.access_token);
  const refresh = textOf(answer.refresh_token) ?? before?.refresh;
  if (access === undefined || refresh === undefined) return undefined;
  const claims = [textOf(answer.id_token), access].map((token) => claimsOf(token ?? ""));
  const about = claims.map((claim) => claim["https://api.openai.com/auth"]).find(isJsonObject);
  const accountId = textOf(about?.chatgpt_account_id) ?? before?.accountId;
  const endsMs = Number(claims[1]?.exp) * 1_000;
  const expiresAtMs = endsMs > 0 ? endsMs : Date.now() + milliseconds(answer.expires_in, 3_600_000);
  return { access, refresh, expiresAtMs, ...(accountId && { accountId }) };
}

/** What a JSON web token says; it is not checked, since it is only sent back. */
function claimsOf(token: string): JsonObject {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    return isJsonObject(claims) ? claims : {};
  } catch {
    return {};
  }
}

/** The client ID that the Copilot extension for VS Code has. GitHub gives the tokens of Copilot only to clients that it knows. */
const gitHubClient = "Iv1.b507a08c87ecfe98";
const editor = {
  "user-agent": "GitHubCopilotChat/0.35.0",
  "editor-version": "vscode/1.107.0",
  "editor-plugin-version": "copilot-chat/0.35.0",
  "copilot-integration-id": "vscode-chat",
};

const copilot: Flow = {
  async start(env) {
    const form = { client_id: gitHubClient, scope: "read:user" };
    const { status, answer } = await ask("https://github.com/login/device/code", { form, headers: editor }, env);
    const [device, code, url] = [answer.device_code, answer.user_code, answer.verification_uri].map(textOf);
    if (device === undefined || code === undefined || url === undefined)
      return refused("copilot", "does not start a sign-in", status);
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    const asking = { form: { client_id: gitHubClient, device_code: device, grant_type }, headers: editor };
    return {
      code,
      url,
      intervalMs: milliseconds(answer.interval, 5_000),
      expiresInMs: milliseconds(answer.expires_in, usualLifeMs),
      async poll() {
        const polled = await ask("https://github.com/login/oauth/access_token", asking, env);
        const refresh = textOf(polled.answer.access_token);
        if (refresh !== undefined) return copilotTokens(refresh, env);
        if (polled.answer.error === "slow_down") return "slower";
        if (polled.answer.error === "authorization_pending") return undefined;
        const problem =
          polled.answer.error === "access_denied" ? "was told to refuse the sign-in" : "refused the sign-in";
        throw new ModelError("unauthorized", `GitHub ${problem}. To try again: ikigai login copilot`);
      },
    };
  },
  renew: ({ refresh }, env) => copilotTokens(refresh, env),
  // Meant for tokens that have leaked: it needs no secret of the client.
  async revoke({ refresh }, env) {
    const asked = { body: { credentials: [refresh] }, headers: editor };
    return (await ask("https://api.github.com/credentials/revoke", asked, env)).status === 202;
  },
  headers: ({ access }, body) => ({
    authorization: `Bearer ${access}`,
    ...editor,
    "openai-intent": "conversation-edits",
    // Requests that follow a tool's result cost nothing more.
    "x-initiator": isUsers(body) ? "user" : "agent",
    ...(/"(?:image_url|input_image)"/.test(body) && { "copilot-vision-request": "true" }),
  }),
};

/** The sign-in at GitHub lasts; Copilot's own token is valid for half an hour. */
async function copilotTokens(refresh: string, env: Environment): Promise<AccountTokens> {
  const headers = { ...editor, authorization: `Bearer ${refresh}` };
  const { status, answer } = await ask("https://api.github.com/copilot_internal/v2/token", { headers }, env);
  const access = textOf(answer.token);
  if (status === 401) return ended("copilot", status);
  if (status === 403 || status === 404)
    throw new ModelError(
      "unauthorized",
      `This GitHub account has no Copilot (${status}): https://github.com/settings/copilot`,
    );
  if (access === undefined) return refused("copilot", "gives no token", status);
  const { endpoints, expires_at } = answer;
  const api = isJsonObject(endpoints) ? (textOf(endpoints.api) ?? "") : "";
  const isGitHubs = /^https:\/\/[a-z0-9.-]+\.githubcopilot\.com$/.test(api);
  return {
    access,
    refresh,
    expiresAtMs: Number(expires_at) * 1_000 || Date.now() + 600_000,
    ...(isGitHubs && { baseUrl: api }),
  };
}

/** Whether the last message of a request is the user's. */
function isUsers(body: string): boolean {
  const { messages, input } = JSON.parse(body || "{}") as Readonly<Record<string, { role?: string }[] | undefined>>;
  return (messages ?? input)?.at(-1)?.role === "user";
}

const flows: Readonly<Record<AccountName, Flow>> = { chatgpt, copilot };

/** Starts to sign in. @throws ModelError */
export function startSignIn(account: AccountName, env: Environment): Promise<DeviceCode> {
  return flows[account].start(env);
}

/** Waits until the user has typed the code. @throws ModelError when it is refused, or has expired. */
export async function signedIn({ poll, intervalMs, expiresInMs }: DeviceCode): Promise<AccountTokens> {
  let pauseMs = intervalMs;
  for (const endMs = Date.now() + expiresInMs; Date.now() < endMs; ) {
    await wait(pauseMs);
    const tokens = await poll();
    if (tokens === "slower") pauseMs += 5_000;
    else if (tokens !== undefined) return tokens;
  }
  throw new ModelError("timeout", "The code has expired. Nothing was stored.");
}

/** Gets a new access token. @throws ModelError `unauthorized` when the service has ended the sign-in. */
export function renewTokens(account: AccountName, tokens: AccountTokens, env: Environment): Promise<AccountTokens> {
  return flows[account].renew(tokens, env);
}

/** Ends a sign-in at the service; returns whether that was accepted. @throws ModelError */
export function revokeTokens(account: AccountName, tokens: AccountTokens, env: Environment): Promise<boolean> {
  return flows[account].revoke(tokens, env);
}

interface Reach {
  readonly config: ModelConfig;
  readonly env: Environment;
}

/** A model of an account. */
export async function accountModel(account: AccountName, model: string, { config, env }: Reach): Promise<Model> {
  const { formats } = await import("./formats.ts");
  const { title, provider, baseUrl } = accounts[account];
  const place = account === "chatgpt" ? { provider } : { provider, baseUrl };
  const profile = profileOf({ ...place, model });
  const patience = { ...defaultPatience, ...config.patience };
  const context = { provider: account, title, model, keyAdvice: signInAgain(account), secrets: secretsOf(config, env) };
  // Copilot has its newer GPT models only in the Responses API.
  const api = account === "copilot" && /^gpt-[5-9]/.test(model) ? "openai" : provider;
  const fetch = tokenFetch(account, createFetch({ env, patience, profile }), config);
  return formats[api]({ context, server: knownServer(profile), apiKey: "oauth", baseUrls: [baseUrl], fetch });
}

/** Sends each request with a token that is valid; once more with a new one when the service rejects it. */
function tokenFetch(account: AccountName, fetch: typeof globalThis.fetch, { storedKeys }: ModelConfig): typeof fetch {
  return async (input, init) => {
    const body = account === "chatgpt" ? withInstructions(String(init?.body)) : String(init?.body);
    const send = (tokens: AccountTokens) => {
      const { pathname, search } = new URL(String(input));
      const url = tokens.baseUrl === undefined ? String(input) : `${tokens.baseUrl}${pathname}${search}`;
      const headers = { ...(init?.headers as Record<string, string>), ...flows[account].headers(tokens, body) };
      return fetch(url, { ...init, headers, body });
    };
    if (storedKeys === undefined) throw new ModelError("configuration", signInAgain(account));
    const tokens = await storedKeys.tokens(account);
    const response = await send(tokens);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    return send(await storedKeys.tokens(account, tokens.access));
  };
}

/** ChatGPT takes the system prompt only as `instructions`. */
function withInstructions(text: string): string {
  const body = JSON.parse(text) as { input?: readonly { role?: string; content?: unknown }[] };
  const [first, ...input] = body.input ?? [];
  if (first?.role !== "system" && first?.role !== "developer") return text;
  return JSON.stringify({ ...body, instructions: first.content, input });
}

/** The models that an account lists. @throws ModelError */
export async function listAccountModels(account: AccountName, { config, env }: Reach): Promise<string[]> {
  const tokens = await config.storedKeys?.tokens(account);
  if (tokens === undefined) throw new ModelError("configuration", signInAgain(account));
  const { baseUrl } = accounts[account];
  const query = account === "chatgpt" ? "?client_version=1.0.0" : "";
  const headers = flows[account].headers(tokens, "");
  const { status, answer } = await ask(`${tokens.baseUrl ?? baseUrl}/models${query}`, { headers }, env);
  if (status === 401) return ended(account, status);
  const entries = [answer.data, answer.models].find((list) => Array.isArray(list));
  if (status !== 200 || !Array.isArray(entries)) return refused(account, "does not list its models", status);
  const names = entries.filter(isJsonObject).map(({ id, slug }) => textOf(id) ?? textOf(slug));
  return [...new Set(names.filter((name) => name !== undefined && !/embed/.test(name)))] as string[];
}
