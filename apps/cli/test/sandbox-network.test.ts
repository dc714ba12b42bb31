// Promise 2 of SECURITY.md.
// @module-tag sampled
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { openEditor, select } from "./acp-editor.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { ikigai } from "./ikigai.ts";
import { type Step, startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

/** A server on loopback, and a function that lets a model run one command, and returns what the model gets. */
async function place() {
  const server = createServer((_, response) => response.end("served")).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const root = await tempDir({ "home/": "", "project/": "", "temp/": "" });
  const home = { HOME: join(root, "home"), TMPDIR: join(root, "temp") };
  const run = async (command: string, ...options: string[]) => {
    const { env, requests } = await startModel([
      { calls: [{ name: "bash", arguments: { command } }] },
      { text: "Done." },
    ]);
    const args = ["--model", "openai-compatible/test", "--sandbox", "--allow", "bash", ...options, "-p", "go"];
    const { exitCode, stderr } = await ikigai(args, { cwd: join(root, "project"), env: { ...home, ...env } });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    return JSON.stringify(requests.at(-1));
  };
  return { port, run };
}

test.skipIf(!hasBubblewrap)("refuses a host that no rule allows, and names the rule (needs bwrap)", async () => {
  const { run } = await place();
  const told = await run("curl -sS https://packages.example.com/x");
  expect(told).toContain("response 403");
  expect(told).toContain("host packages.example.com: not allowed; --allow 'host(packages.example.com)'");
});

test.skipIf(!hasBubblewrap)(
  "lets a command reach a port of this machine that a rule spells (needs bwrap)",
  async () => {
    const { run, port } = await place();
    const get = `curl -sS http://localhost:${port}/ http://127.0.0.1:${port}/`;
    expect(await run(get, "--allow", "host(*)")).not.toContain("servedserved");
    for (const name of ["localhost", "127.0.0.1"])
      expect(await run(get, "--allow", `host(${name}:${port})`)).toContain("servedserved");
  },
);

test("says what is wrong with a rule about a host", async () => {
  const { exitCode, stderr } = await ikigai(["--model", "offline", "--allow", "host(a/b)", "-p", "go"], {
    cwd: await tempDir(),
  });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("Expected host(HOST), host(HOST:PORT)")]);
});

const bash = (...commands: string[]): Step => ({
  calls: commands.map((command) => ({ name: "bash", arguments: { command } })),
});

/** A conversation on a machine whose proxy answers for every host. */
async function conversation(steps: readonly Step[], mode = "auto") {
  const proxy = createServer((request, response) => response.end(`hello from ${new URL(request.url ?? "").host}\n`));
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const root = await tempDir({ "home/": "", "project/": "", "temp/": "" });
  const [home, cwd] = [join(root, "home"), join(root, "project")];
  const { env: models, requests } = await startModel(steps);
  const own = { HOME: home, TMPDIR: join(root, "temp"), NO_PROXY: "127.0.0.1", HTTP_PROXY: `http://127.0.0.1:${port}` };
  const results = () =>
    requests.at(-1)?.messages.flatMap(({ role, content }) => (role === "tool" ? [JSON.parse(String(content))] : []));
  const args = ["--model", "openai-compatible/m", "--permission-mode", mode];
  return { home, cwd, args, env: { ...own, ...models }, results };
}

const tenConnections = "seq 10 | xargs -P 10 -I{} curl -sS http://one.example.com/{}";

describe.skipIf(!hasBubblewrap)("asks about a host that no rule decides (needs bwrap)", () => {
  test("once for ten connections of a call, and again in the next call", async () => {
    const { cwd, args, env, results } = await conversation([
      bash(tenConnections),
      bash("curl -sS http://one.example.com/"),
    ]);
    const terminal = await openTerminal(args, { cwd, env });
    await terminal.waitForPrompt();
    terminal.type("go\r");
    await terminal.waitFor("Let bash reach one.example.com?");
    expect(terminal.steadyScreen()).toContain(`● bash  ${tenConnections}
    wants to reach one.example.com
  Let bash reach one.example.com?   y once   s this session
  r always in this project: host(one.example.com)   n no   e no, and say why`);
    terminal.type("y\r");
    await terminal.waitFor(/exit 0.*Let bash reach one\.example\.com\?/s);
    terminal.type("no, use the mirror\r");
    await terminal.waitForPrompt();
    terminal.type("/network\r");
    await terminal.waitFor("was refused");
    expect(terminal.screen().split("› /network\n")[1]).toMatch(
      /^● bash {2}seq 10 .*\n {2}one\.example\.com: \d+ KB sent, \d+ KB received\n● bash {2}curl .*\n {2}one\.example\.com was refused: the user denied it and says: use the mirror\. To allow it: \/permissions, allow\s+host\(one\.example\.com\)/,
    );
    const [first, second] = results() ?? [];
    expect(first.result.output).toBe("hello from one.example.com\n".repeat(10).trimEnd());
    expect(second).toMatchObject({
      result: { output: "host one.example.com: the user denied it and says: use the mirror" },
      sandbox: expect.stringContaining("the user denied it and says: use the mirror"),
    });
  });

  test("for each of the calls of a step, and keeps what is always allowed", async () => {
    const commands = ["curl -sS http://one.example.com/", "curl -sS http://two.example.com:8080/"] as const;
    const { cwd, args, env, results } = await conversation([bash(...commands)]);
    const { editor, prompt } = await openEditor(cwd, { args, env, home: env.HOME });
    const ended = editor.ask("session/prompt", prompt("go"));
    const titles: string[] = [];
    for (let count = 0; count < 2; count++) {
      const question = await editor.question();
      const { toolCall, options } = question.params;
      titles.push(toolCall.title);
      const isFirst = toolCall.rawInput.command === commands[0];
      const name = `Allow in this session: host(${isFirst ? "one.example.com" : "two.example.com:8080"})`;
      expect(options).toMatchObject([
        { name: "Allow once" },
        { name },
        { optionId: "allow_project" },
        { name: "Reject" },
      ]);
      editor.write(select(question, isFirst ? "allow_project" : "reject"));
    }
    expect(titles.toSorted()).toEqual([
      "bash (system) wants to reach `one.example.com`",
      "bash (system) wants to reach `two.example.com:8080`",
    ]);
    await ended;
    expect(results()?.map(({ result }) => result.output)).toEqual([
      "hello from one.example.com",
      "host two.example.com:8080: the user denied it",
    ]);
    const again = await startModel([bash(commands[0])]);
    await ikigai([...args, "-p", "go"], { cwd, env: { ...env, ...again.env } });
    expect(JSON.stringify(again.requests.at(-1))).toContain("hello from one.example.com");
  });

  test("once for a page that web_fetch gets in the sandbox", async () => {
    const page = { calls: [{ name: "web_fetch", arguments: { url: "http://one.example.com/" } }] };
    const steps = [page, page, bash("curl -sS http://one.example.com/")];
    const { cwd, args, env, results } = await conversation(steps, "ask");
    const own = [...args, "--sandbox", "--allow", "bash"];
    const { editor, prompt } = await openEditor(cwd, { args: own, env, home: env.HOME });
    const ended = editor.ask("session/prompt", prompt("go"));
    for (const answer of ["allow_once", "allow_session"]) {
      const question = await editor.question();
      expect(question.params.toolCall.title).toBe("web_fetch (system) wants to reach `one.example.com`");
      editor.write(select(question, answer));
    }
    await ended;
    expect(results()?.map(({ result }) => result.output.trim())).toEqual(Array(3).fill("hello from one.example.com"));
    const alone = await startModel([page]);
    const allow = ["--allow", "web_fetch(domain:one.example.com)"];
    await ikigai([...own, ...allow, "-p", "go"], { cwd, env: { ...env, ...alone.env } });
    expect(JSON.stringify(alone.requests.at(-1))).toContain("hello from one.example.com");
  });

  test("with its address if it leads to this computer, and opens it after a yes", async () => {
    const { port } = await place();
    const get = (url: string) => bash(`curl -sS --noproxy '' -m 20 ${url}; true`);
    const url = `http://localhost:${port}/`;
    const { cwd, args, env, results } = await conversation([get(url), get(url), get("http://169.254.169.254/")]);
    const own = { ...env, HTTP_PROXY: "" };
    const { editor, prompt } = await openEditor(cwd, { args, env: own, home: env.HOME });
    const ended = editor.ask("session/prompt", prompt("go"));
    for (const answer of ["allow_once", "reject"]) {
      const question = await editor.question();
      expect(JSON.stringify(question.params.toolCall.content)).toContain(
        `wants to reach localhost:${port}: 127.0.0.1, this computer`,
      );
      editor.write(select(question, answer));
    }
    await ended;
    const [first, second, third] = results()?.map(({ result }) => result.output) ?? [];
    expect(first).toContain("served");
    expect(second).toContain("the user denied it");
    expect(third).toContain("leads to a link-local address; ");
    expect(third).toContain("host(169.254.169.254)");
  });

  test("not where a rule decides, in plan mode, or without a user", async () => {
    const command = "curl -sS -m 5 http://one.example.com/; true";
    const outputs = async (mode: string, ...options: string[]) => {
      const { cwd, args, env, results } = await conversation([bash(command)], mode);
      await ikigai([...args, ...options, "-p", "go"], { cwd, env });
      return results()?.[0].result.output;
    };
    expect(await outputs("auto")).toBe("host one.example.com: not allowed; --allow 'host(one.example.com)'");
    expect(await outputs("auto", "--allow", "host(*.example.com)")).toBe("hello from one.example.com");
    expect(await outputs("plan", "--allow", "host(*.example.com)")).not.toContain("hello");
  });
});
