// @module-tag sampled
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { toWire } from "../../../packages/agent/test/wire-formats.ts";
import { ikigai } from "./ikigai.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const hosts = ["auth.openai.com", "chatgpt.com", "github.com", "api.github.com", "api.individual.githubcopilot.com"];

interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the services answer; a test changes it. */
interface Services {
  /** How often the user has not typed the code yet. */
  pending: number;
  denied: boolean;
  /** In seconds. */
  life: number;
  /** The tokens that are valid now. A refresh token is valid once. */
  refresh: string;
  access: string;
  renewals: number;
  revoked: string[];
  revokes: boolean;
  /** Where Copilot says that its models are. */
  api: string;
  readonly seen: Seen[];
}

const claims = (accountId: string) =>
  `e30.${Buffer.from(JSON.stringify({ "https://api.openai.com/auth": { chatgpt_account_id: accountId } })).toString("base64url")}.x`;

function answerOf(url: string, body: string, headers: IncomingHttpHeaders, now: Services): readonly [number, unknown] {
  const isBearer = (token: string) => headers.authorization === `Bearer ${token}`;
  const tokens = () => {
    now.refresh = `refresh-${++now.renewals}`;
    now.access = `access-${now.renewals}`;
    const { access: access_token, refresh: refresh_token, life: expires_in } = now;
    return { id_token: claims("account-7"), access_token, refresh_token, expires_in };
  };
  switch (url.replace(/\?.*/, "")) {
    case "auth.openai.com/api/accounts/deviceauth/usercode":
      return [200, { device_auth_id: "d1", user_code: "ABCD-EFGH", interval: "1" }];
    case "auth.openai.com/api/accounts/deviceauth/token":
      return now.pending-- > 0 ? [403, {}] : [200, { authorization_code: "c1", code_verifier: "v1" }];
    case "auth.openai.com/oauth/token": {
      const isCode = body.includes("code=c1") && body.includes("code_verifier=v1");
      if (isCode || body.includes(`"${now.refresh}"`)) return [200, tokens()];
      return [400, { error: "invalid_grant" }];
    }
    case "auth.openai.com/oauth/revoke":
    case "api.github.com/credentials/revoke":
      now.revoked.push(body);
      return [now.revokes ? (url.startsWith("auth") ? 200 : 202) : 500, {}];
    case "chatgpt.com/backend-api/codex/models":
      return isBearer(now.access) ? [200, { models: [{ slug: "gpt-5.5" }] }] : [401, {}];
    case "chatgpt.com/backend-api/codex/responses":
      return isBearer(now.access)
        ? [200, toWire("/responses", { text: "Hello." })]
        : [401, { error: { message: "expired" } }];
    case "github.com/login/device/code":
      return [
        200,
        { device_code: "d2", user_code: "WXYZ", verification_uri: "https://github.com/login/device", interval: 1 },
      ];
    case "github.com/login/oauth/access_token":
      if (now.denied) return [200, { error: "access_denied" }];
      return [200, now.pending-- > 0 ? { error: "authorization_pending" } : { access_token: "ghu_1" }];
    case "api.github.com/copilot_internal/v2/token": {
      if (!isBearer("ghu_1")) return [401, {}];
      now.access = `copilot-${++now.renewals}`;
      return [200, { token: now.access, expires_at: Date.now() / 1000 + now.life, endpoints: { api: now.api } }];
    }
    case "api.individual.githubcopilot.com/chat/completions":
      return isBearer(now.access) ? [200, toWire("/chat", { text: "Hello." })] : [401, {}];
    default:
      return [404, {}];
  }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** The services behind a proxy, with a certificate of their own, and a user's home. */
async function startServices() {
  const dir = await tempDir({ "home/.keep": "" });
  const names = ["-subj", "/CN=test", "-addext", `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(",")}`];
  const made = ["-keyout", "key.pem", "-out", "cert.pem", "-days", "1"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...made, ...names], {
    cwd: dir,
    stdio: "ignore",
  });
  const now: Services = {
    pending: 1,
    denied: false,
    life: 3600,
    refresh: "",
    access: "",
    renewals: 0,
    revoked: [],
    revokes: true,
    api: "https://api.individual.githubcopilot.com",
    seen: [],
  };
  const pem = (name: string) => readFileSync(join(dir, name));
  const services = createTlsServer({ key: pem("key.pem"), cert: pem("cert.pem") }, (request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const url = `${request.headers.host}${request.url}`;
      now.seen.push({ url, headers: request.headers, body });
      const [status, answer] = answerOf(url, body, request.headers, now);
      const isStream = Array.isArray(answer);
      response.writeHead(status, { "content-type": isStream ? "text/event-stream" : "application/json" });
      response.end(isStream ? answer.join("") : JSON.stringify(answer));
    });
  });
  const port = await listening(services);
  const proxy = createServer();
  proxy.on("connect", (_, socket) => {
    const upstream = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  const HTTPS_PROXY = `http://127.0.0.1:${await listening(proxy)}`;
  const HOME = join(dir, "home");
  const env = { HOME, HTTPS_PROXY, NODE_EXTRA_CA_CERTS: join(dir, "cert.pem") };
  const file = join(HOME, ".ikigai/credentials.json");
  const stored = () => JSON.parse(readFileSync(file, "utf8"));
  const sentTo = (part: string) => now.seen.filter(({ url }) => url.includes(part));
  return { now, env, file, stored, sentTo, run: (...args: string[]) => ikigai(args, { env }) };
}

const hello = ["-p", "hi", "--model", "chatgpt/gpt-5.5"];

test.runIf(hasOpenssl)("signs in to ChatGPT with a code, uses its models, and revokes the tokens", async () => {
  const { now, file, stored, sentTo, run } = await startServices();
  const unsigned = await run(...hello);
  expect([unsigned.exitCode, unsigned.stderr]).toEqual([
    1,
    expect.stringContaining("needs a sign-in: ikigai login chatgpt"),
  ]);
  const login = await run("login", "chatgpt");
  expect(login.stderr).toContain("Open https://auth.openai.com/codex/device\nand enter the code ABCD-EFGH\n");
  expect([login.exitCode, sentTo("deviceauth/token").length]).toEqual([0, 2]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(stored().chatgpt).toMatchObject({ access: "access-1", refresh: "refresh-1", accountId: "account-7" });
  expect((await run("login", "--status")).stdout).toMatch(/chatgpt +signed in/);
  expect((await run("models", "chatgpt")).stdout).toContain("  chatgpt/gpt-5.5\n");
  const { stdout } = await run(...hello);
  expect(stdout).toBe("Hello.\n");
  const [{ headers, body } = { headers: {}, body: "{}" }] = sentTo("codex/responses");
  expect(headers).toMatchObject({
    authorization: "Bearer access-1",
    "chatgpt-account-id": "account-7",
    originator: "ikigai",
  });
  const { instructions, store, input } = JSON.parse(body);
  expect([typeof instructions, store, input[0].role]).toEqual(["string", false, "user"]);
  const logout = await run("logout");
  expect([logout.exitCode, logout.stdout]).toEqual([0, expect.stringContaining("Removed the tokens of ChatGPT")]);
  expect(now.revoked).toEqual([expect.stringContaining('"refresh-1"')]);
  expect(stored()).toEqual({});
  expect((await run("logout", "chatgpt")).exitCode).toBe(1);
});

test.runIf(hasOpenssl)("two processes at once renew a token once, and both use it", async () => {
  const { now, stored, sentTo, run } = await startServices();
  now.life = 30;
  await run("login", "chatgpt");
  now.life = 3600;
  const both = await Promise.all([run(...hello), run(...hello)]);
  expect(both.map(({ stdout }) => stdout)).toEqual(["Hello.\n", "Hello.\n"]);
  expect([now.renewals, stored().chatgpt.refresh]).toEqual([2, "refresh-2"]);
  // Rejected before its time: renewed, and sent again.
  now.access = "another";
  expect((await run(...hello)).stdout).toBe("Hello.\n");
  expect([now.renewals, sentTo("codex/responses").length]).toEqual([3, 4]);
});

test.runIf(hasOpenssl)("says when the service has ended a sign-in, and when it does not confirm a logout", async () => {
  const { now, stored, run } = await startServices();
  await run("login", "chatgpt");
  now.access = "another";
  now.refresh = "another";
  const { exitCode, stderr } = await run(...hello);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining("ChatGPT has ended the sign-in (400). To sign in again: ikigai login chatgpt"),
  ]);
  expect(stderr).not.toMatch(/access-1|refresh-1/);
  now.revokes = false;
  const logout = await run("logout", "chatgpt");
  expect([logout.exitCode, logout.stderr]).toEqual([
    1,
    expect.stringContaining("ChatGPT may still accept them: it did not"),
  ]);
  expect(stored()).toEqual({});
});

test.runIf(hasOpenssl)("signs in to Copilot, and sends its tokens to GitHub only", async () => {
  const { now, file, sentTo, run } = await startServices();
  now.denied = true;
  const denied = await run("login", "copilot");
  expect([denied.exitCode, denied.stderr]).toEqual([1, expect.stringContaining("was told to refuse the sign-in")]);
  expect(existsSync(file)).toBe(false);
  now.denied = false;
  now.api = "https://evil.example.com";
  expect((await run("login", "copilot")).stderr).toContain(
    "Open https://github.com/login/device\nand enter the code WXYZ",
  );
  const { stdout } = await run("-p", "hi", "--model", "copilot/gpt-4.1");
  expect(stdout).toBe("Hello.\n");
  expect(sentTo("evil")).toEqual([]);
  expect(sentTo("chat/completions")[0]?.headers).toMatchObject({
    authorization: "Bearer copilot-1",
    "x-initiator": "user",
    "copilot-integration-id": "vscode-chat",
  });
  // GitHub has withdrawn its own token.
  writeFileSync(file, readFileSync(file, "utf8").replace("ghu_1", "ghu_0").replace("copilot-1", "copilot-0"));
  const ended = await run("-p", "hi", "--model", "copilot/gpt-4.1");
  expect([ended.exitCode, ended.stderr]).toEqual([
    1,
    expect.stringContaining("GitHub Copilot has ended the sign-in (401)"),
  ]);
});
