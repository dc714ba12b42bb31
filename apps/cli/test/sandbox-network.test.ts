import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

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
    expect(await run(get, "--allow", `host(localhost:${port})`)).toContain("servedserved");
  },
);

test("says what is wrong with a rule about a host", async () => {
  const { exitCode, stderr } = await ikigai(["--model", "offline", "--allow", "host(a/b)", "-p", "go"], {
    cwd: await tempDir(),
  });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("Expected host(HOST), host(HOST:PORT)")]);
});
