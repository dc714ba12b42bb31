// Promise 10 of SECURITY.md.
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolNeeds } from "@ikigai/protocol";
import { describe, expect, test } from "vitest";
import type { CallOptions } from "../src/call/options.ts";
import { callTool, findTool, type RegisteredTool, trust } from "../src/index.ts";
import { agreeToNeeds, describeNeeds, forgetNeeds } from "../src/trust.ts";
import { internet, network } from "./internet.ts";
import { hasBubblewrap, sandboxStage } from "./sandbox-stage.ts";
import { circumstances, schema, tool } from "./world.ts";

/** Runs the script beside the tool: without needs, a tool gets no variable to hold one. */
const body = `cat > /dev/null
out=$(sh "$(dirname "$0")/script" 2>&1)
printf '{"output":"%s"}' "$(printf %s "$out" | base64 -w0)"`;

const needy = (needs: ToolNeeds) => ({ content: tool(schema("needy", { ikigai: { needs } }), body), mode: 0o755 });

/** A stage with the tool `needy` in a directory. */
async function needyStage(needs: ToolNeeds, directory = "home/tools") {
  const stage = await sandboxStage({
    [`${directory}/needy-tool`]: needy(needs),
    [`${directory}/script`]: "",
    ...{ "person/.config/gh/hosts.yml": "oauth\n", "person/.ssh/id": "key\n", "person/notes": "notes\n" },
  });
  const found = async () => findTool(await stage.discover(), "needy") as RegisteredTool;
  const call = async (script: string, options: Partial<CallOptions> = {}) => {
    writeFileSync(join(stage.root, directory, "script"), script);
    if (directory.startsWith("project")) await trust(stage);
    const env = { PATH: process.env.PATH, GITHUB_TOKEN: "t0ken", OTHER_TOKEN: "other" };
    const { sandbox, projectDir } = stage;
    const given = await circumstances({ cwd: projectDir, projectDir, sandbox, env, ...options });
    const { envelope } = await callTool(await stage.discover(), "needy", "{}", given);
    if (!envelope.tool_success) return envelope.error;
    return Buffer.from(String(envelope.result.output), "base64").toString();
  };
  const agree = async () => agreeToNeeds(stage.home, [await found()]);
  return { ...stage, found, call, agree };
}

describe("a yes to what a tool needs", () => {
  const needs = { env: ["GITHUB_TOKEN"], hosts: ["a.example.com"] };

  test("is kept for the content of its file and for these needs", async () => {
    const { found, agree, root } = await needyStage(needs);
    const file = join(root, "home/tools/needy-tool");
    expect((await found()).openNeeds).toBe(true);
    await agree();
    expect((await found()).openNeeds).toBeUndefined();
    appendFileSync(file, "# changed\n");
    expect((await found()).openNeeds).toBe(true);
    await agree();
    writeFileSync(file, needy({ ...needs, read: ["~/.ssh"] }).content);
    expect((await found()).openNeeds).toBe(true);
    await agree();
    expect((await found()).openNeeds).toBeUndefined();
  });

  test("does not count for the same file elsewhere, nor once it is taken back", async () => {
    const { found, agree, home, root } = await needyStage(needs);
    await agree();
    await forgetNeeds(home, [(await found()).path]);
    expect((await found()).openNeeds).toBe(true);
    await agree();
    const copy = await sandboxStage({ "home/tools/needy-tool": needy(needs) });
    writeFileSync(join(copy.home, "trust.json"), readFileSync(join(root, "home/trust.json")), { mode: 0o600 });
    expect(findTool(await copy.discover(), "needy")?.openNeeds).toBe(true);
  });

  test("is needed neither by a shipped tool nor by one that needs nothing", async () => {
    const stage = await sandboxStage({
      "system/needy-tool": needy(needs),
      "home/tools/plain-tool": needy({ read: [] }),
    });
    const { tools } = await stage.discover();
    expect(tools.map(({ openNeeds }) => openNeeds)).toEqual([undefined, undefined, undefined]);
  });

  test("is asked for in words that name secrets and what decides what runs", async () => {
    const { root } = await needyStage(needs);
    const userHome = join(root, "person");
    const all = {
      hosts: ["api.weather.gov"],
      read: ["~/.config", "~/.ssh", "/opt/data"],
      write: ["~/.cache/x", "~/.bashrc"],
      env: ["GITHUB_TOKEN", "KUBECONFIG", "MODE"],
    };
    expect(describeNeeds(all, { userHome, env: {} })).toEqual([
      "connects to api.weather.gov",
      "reads ~/.config (a place of your keys and passwords)",
      "reads ~/.ssh (a place of your keys and passwords)",
      "reads /opt/data",
      "changes ~/.cache/x",
      "changes ~/.bashrc (a shell runs it when it starts)",
      "gets GITHUB_TOKEN (a key, token or password)",
      "gets KUBECONFIG and reads the file it names",
      "gets MODE",
    ]);
  });
});

describe.skipIf(!hasBubblewrap)("in the sandbox (needs bwrap) a tool", () => {
  const needs = { read: ["~/.config/gh"], write: ["~/.cache/needy"], env: ["GITHUB_TOKEN"] };
  const script = `cat ~/.config/gh/hosts.yml; cat ~/.ssh/id; cat ~/notes; echo made > ~/.cache/needy/x; echo x > ~/.config/gh/y; echo $GITHUB_TOKEN,$OTHER_TOKEN`;

  test("sees, changes and gets what it needs, and nothing else", async () => {
    const { call, agree, root, sandbox, run } = await needyStage(needs);
    const env = { PATH: process.env.PATH, HOME: join(root, "person"), GITHUB_TOKEN: "t0ken", OTHER_TOKEN: "other" };
    expect(await call(script, { env })).toMatch(/^Tool 'needy' was not run in the sandbox: .*ikigai tool allow needy$/);
    await agree();
    const lines = (await call(script, { env })).split("\n");
    expect(lines).toEqual([
      "oauth",
      expect.stringContaining(".ssh/id"),
      expect.stringContaining("notes"),
      expect.stringContaining("Read-only"),
      "t0ken,",
    ]);
    expect(readFileSync(join(root, "person/.cache/needy/x"), "utf8")).toBe("made\n");
    expect(existsSync(join(root, "person/.config/gh/y"))).toBe(false);
    // Another tool in the same session gets none of it.
    const other = await run(script, { env: { ...env, SCRIPT: script }, sandbox });
    expect(other.output).not.toMatch(/oauth|t0ken/);
    expect(other.output).toContain("cannot create");
  });

  test("gets only what it reads in a place where it only reads", async () => {
    const { call, agree, root, sandbox } = await needyStage(needs);
    const env = { PATH: process.env.PATH, HOME: join(root, "person"), GITHUB_TOKEN: "t0ken" };
    const reading = { env, sandbox: { ...sandbox, isReadOnly: true } };
    expect(await call(script, reading)).toContain("ikigai tool allow needy");
    await agree();
    mkdirSync(join(root, "person/.cache/needy"), { recursive: true });
    const output = await call(script, reading);
    expect(output).toMatch(/^oauth\n/);
    expect(output).toMatch(/,$/);
    expect(output).not.toContain("t0ken");
    expect(existsSync(join(root, "person/.cache/needy/x"))).toBe(false);
  });

  test("needs no yes where it only reads, if it reads nothing", async () => {
    const { call, sandbox } = await needyStage({ env: ["GITHUB_TOKEN"] });
    expect(await call("echo ran $GITHUB_TOKEN", { sandbox: { ...sandbox, isReadOnly: true } })).toBe("ran");
    expect(await call("echo ran $GITHUB_TOKEN", { sandbox: undefined })).toBe("ran t0ken");
  });

  test("of a project gets what the user has agreed to, but no key of a model provider", async () => {
    const { call, agree } = await needyStage({ env: ["GITHUB_TOKEN", "OPENAI_API_KEY"] }, "project/.ikigai/tools");
    const env = { PATH: process.env.PATH, GITHUB_TOKEN: "t0ken", OPENAI_API_KEY: "sk" };
    expect(await call("echo $GITHUB_TOKEN,$OPENAI_API_KEY", { env })).toContain("ikigai tool allow needy");
    await agree();
    expect(await call("echo $GITHUB_TOKEN,$OPENAI_API_KEY", { env })).toBe("t0ken,");
  });

  test("never sees the user's own directory, whatever leads there", async () => {
    const { call, agree, root } = await needyStage({ read: ["~/link", "~/up"], write: ["~/link"] });
    const person = join(root, "person");
    chmodSync(join(root, "home"), 0o700);
    writeFileSync(join(root, "home/credentials.json"), "sk-secret");
    const { symlinkSync } = await import("node:fs");
    symlinkSync(join(root, "home"), join(person, "link"));
    symlinkSync(root, join(person, "up"));
    await agree();
    const env = { PATH: process.env.PATH, HOME: person };
    const output = await call("cat ~/link/credentials.json ~/up/home/credentials.json; echo x > ~/link/new", { env });
    expect(output).not.toContain("sk-secret");
    expect(existsSync(join(root, "home/new"))).toBe(false);
  });

  test("alone reaches the hosts that it needs; a rule that denies them comes first", async (context) => {
    const { env: proxy, requests } = await internet(context);
    const seen: (readonly string[])[] = [];
    const door = network(context, {
      env: proxy,
      ruleFor: ({ host }, hosts) => {
        seen.push(hosts);
        return hosts.includes(host) ? { verdict: "allow" } : undefined;
      },
    });
    const { call, agree, run, sandbox } = await needyStage({ hosts: ["a.example.com"] });
    await agree();
    const get = (host: string) => `curl -sS -m 9 http://${host}/`;
    const options = { sandbox: { ...sandbox, door } };
    expect(await call(get("a.example.com"), options)).toBe("hello from a.example.com");
    expect(await call(get("b.example.com"), options)).toContain("not allowed");
    expect((await run(get("a.example.com"), options)).output).toContain("not allowed");
    expect(requests).toEqual(["GET http://a.example.com/"]);
    expect(seen).toEqual([["a.example.com"], ["a.example.com"], []]);
  });
});
