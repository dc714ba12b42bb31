// Promise 10 of SECURITY.md.
// @module-tag sampled
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

const needs = { hosts: ["api.weather.gov"], read: ["~/.ssh"], env: ["GITHUB_TOKEN"] };

/** A tool that says what it gets. */
const needy = `#!/bin/sh
[ "$1" = --schema ] && echo '${JSON.stringify({
  name: "needy",
  description: "d",
  parameters: { type: "object", properties: {} },
  ikigai: { needs },
})}' && exit
cat > /dev/null
printf '{"output":"%s"}' "token: $GITHUB_TOKEN, key: $(cat "$HOME/.ssh/id" 2>&1)"
`;

/** A proxy behind which every host says hello. */
async function hello(): Promise<string> {
  const server = createServer((_, response) => response.end("hello"));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A home with the tool, and what starts a conversation in which the model calls it as often as wanted. */
async function place(directory = ".ikigai/tools") {
  const HOME = await tempDir({ ".ssh/id": "private", [`${directory}/needy-tool`]: { content: needy, mode: 0o755 } });
  const cwd = await tempDir();
  const given = { HOME, GITHUB_TOKEN: "t0ken" };
  const model = async (calls: number) => {
    const steps = Array.from({ length: calls }, () => ({ calls: [{ name: "needy", arguments: {} }] }));
    return startModel([...steps, { text: "Done." }]);
  };
  return {
    HOME,
    cwd,
    run: (...args: string[]) => ikigai(args, { cwd, env: given }),
    async print(...options: string[]) {
      const { env, requests } = await model(1);
      const args = ["--model", "openai-compatible/m", "--allow", "needy", ...options, "-p", "go"];
      await ikigai(args, { cwd, env: { ...given, ...env } });
      return String(requests.at(-1)?.messages.at(-1)?.content);
    },
    async converse(calls: number) {
      const { env, requests } = await model(calls);
      const args = ["--model", "openai-compatible/m", "--permission-mode", "auto"];
      const terminal = await openTerminal(args, { cwd, env: { ...given, ...env } });
      await terminal.waitForPrompt();
      terminal.type("go\r");
      return { terminal, lastResult: () => String(requests.at(-1)?.messages.at(-1)?.content) };
    },
  };
}

const given = "token: t0ken, key: private";

describe.skipIf(!hasBubblewrap)("a tool that the user has put into their directory (needs bwrap)", () => {
  test("is asked about with what it needs: once, for the session, or until it changes", async () => {
    const { converse, HOME, run } = await place();
    const first = await converse(3);
    const question = await first.terminal.waitFor("Run it?");
    expect(question).toContain("you have not agreed to what it needs");
    expect(question).toContain("it connects to api.weather.gov");
    expect(question).toContain("it reads ~/.ssh (a place of your keys and passwords)");
    expect(question).toContain("it gets GITHUB_TOKEN (a key, token or password)");
    first.terminal.type("y\r");
    await first.terminal.waitFor(/Run it\?.*Run it\?/s);
    expect(first.lastResult()).toContain(given);
    first.terminal.type("s\r");
    await first.terminal.waitFor("Done.");
    expect(first.lastResult()).toContain(given);
    expect(first.terminal.screen().match(/Run it\?/g)).toHaveLength(2);
    const second = await converse(2);
    await second.terminal.waitFor("Run it?");
    second.terminal.type("g\r");
    expect(await second.terminal.waitFor("Done.")).toContain("Saved what needy needs");
    const third = await converse(1);
    expect(await third.terminal.waitFor("Done.")).not.toContain("Run it?");
    expect(third.lastResult()).toContain(given);
    appendFileSync(join(HOME, ".ikigai/tools/needy-tool"), "# changed\n");
    expect((await run("tool", "show", "needy")).stdout).toContain("not allowed yet: ikigai tool allow needy");
  });

  test("is refused without a terminal, with the command that allows it", async () => {
    const { print, run } = await place();
    const refused = await print("--permission-mode", "auto");
    expect(refused).toContain("The user has not agreed to what needy needs: it connects to api.weather.gov; ");
    expect(refused).toContain("ikigai tool allow needy");
    expect(refused).not.toContain("t0ken");
    expect(await run("tool", "allow", "needy")).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining("  reads ~/.ssh (a place of your keys and passwords)\n"),
      stderr: expect.stringContaining("pass --yes to allow this."),
    });
    expect(await run("tool", "allow", "needy", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await print("--permission-mode", "auto")).toContain(given);
    expect((await run("tool", "allow", "needy", "--revoke")).stdout).toBe("No longer allowed.\n");
    expect(await print("--sandbox")).toContain("ikigai tool allow needy");
    // Outside the sandbox it has what the user has.
    expect(await print("--permission-mode", "ask")).toContain(given);
  });

  test("is refused in a call by the user's own hand, too", async () => {
    const { run } = await place();
    const called = await run("tool", "call", "needy", "--sandbox");
    expect([called.exitCode, called.stdout]).toEqual([1, expect.stringContaining("ikigai tool allow needy")]);
    expect((await run("tool", "call", "needy")).stdout).toContain(given);
  });
});

describe.skipIf(!hasBubblewrap)("ikigai tool check (needs bwrap)", () => {
  const checked = async (needs: object, script: string) => {
    const schema = JSON.stringify({
      ...{ name: "needy", description: "d", parameters: { type: "object", properties: {} }, ikigai: { needs } },
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
    const content = `#!/bin/sh\n[ "$1" = --schema ] && echo '${schema}' && exit\ncat > /dev/null\n${script}\n`;
    const HOME = await tempDir({ notes: "x", "needy-tool": { content, mode: 0o755 } });
    const options = ["--only", "needs", "--strict", "--json", join(HOME, "needy-tool")];
    const proxy = await hello();
    const env = { HOME, MY_TOKEN: "t", HTTP_PROXY: proxy, http_proxy: proxy };
    const { stdout } = await ikigai(["tool", "check", ...options], { cwd: await tempDir(), env });
    const [{ status, problem = "" }] = JSON.parse(stdout).results;
    return `${status}: ${/lacks (.*)\.$/.exec(problem)?.[1] ?? problem}`;
  };
  /** Fails with what the command says. */
  const tried = (command: string) =>
    `said=$(${command} 2>&1) && echo '{}' || printf '{"error":"%s","error_code":"FAILED"}' "$(echo "$said" | tr -d '"' | tr '\\n' ' ')"`;

  test.each([
    [{ read: ["~/notes"] }, 'cat "$HOME/notes"', '~/notes ("read")'],
    [{ env: ["MY_TOKEN"] }, 'test -n "$MY_TOKEN" || { echo MY_TOKEN is not set; false; }', 'MY_TOKEN ("env")'],
    [{ hosts: ["a.example.com"] }, "curl -sSf -m 9 http://a.example.com/", 'the host a.example.com ("hosts")'],
    [{ write: ["~/notes"] }, `sh -c 'echo x >> "$HOME/notes"'`, '~/notes ("write")'],
  ])("runs a tool with %j, and says what it lacks without", async (needs, command, lacking) => {
    expect(await checked(needs, tried(command))).toBe("passed: ");
    expect(await checked({}, tried(command))).toBe(`failed: ${lacking}`);
  });
});

test("a model's call cannot allow what a tool needs", async () => {
  const { cwd, HOME } = await place();
  const { exitCode, stderr } = await ikigai(["tool", "allow", "needy", "--yes"], {
    cwd,
    env: { HOME, IKIGAI_CALL_ID: "1" },
  });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("ikigai tool allow is for the user")]);
});

test("a schema with needs that cannot be read is refused, with the file and what to write", async () => {
  const HOME = await tempDir({
    ".ikigai/tools/needy-tool": { content: needy.replace("api.weather.gov", "https://api.weather.gov"), mode: 0o755 },
  });
  const { stdout } = await ikigai(["tool", "list"], { cwd: await tempDir(), env: { HOME } });
  expect(stdout).toContain("needy (~/.ikigai/tools/needy-tool): invalid schema:");
  expect(stdout).toContain('"ikigai.needs.hosts": "https://api.weather.gov" is not a host; write "api.example.com"');
});
