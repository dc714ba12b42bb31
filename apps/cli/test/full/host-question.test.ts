// Promise 3 of SECURITY.md.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tempDir } from "@ikigai/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasBubblewrap } from "../has-bubblewrap.ts";
import { openFull } from "./open-full.ts";

/** The full screen in mode auto, where a model makes these commands, one by one, and a proxy answers for every host. */
async function open(...commands: string[]) {
  const proxy = createServer((request, response) => response.end(`hello from ${new URL(request.url ?? "").host}\n`));
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const steps = commands.map((command) => ({ calls: [{ name: "bash", arguments: { command } }] }));
  const { terminal } = await openFull(steps, {
    cwd: await tempDir(),
    args: ["--permission-mode", "auto"],
    env: { NO_PROXY: "127.0.0.1", HTTP_PROXY: `http://127.0.0.1:${port}` },
  });
  terminal.type("go\r");
  return terminal;
}

describe.skipIf(!hasBubblewrap)("the question about a host (needs bwrap)", () => {
  test("is in the block of its call, and s allows the host for the session", async () => {
    const terminal = await open("curl -sS http://one.example.com/", "curl -sS http://one.example.com/again");
    await terminal.waitFor("no, and say why");
    expect(terminal.screen()).toContain(
      "● bash  curl -sS http://one.example.com/\n    wants to reach one.example.com\n",
    );
    expect(terminal.screen()).toContain(`  Let bash reach one.example.com?
› y  once   until the call ends
  s  this session   no more questions about this host
  r  always in this project: host(one.example.com)
  n  no
  e  no, and say why
`);
    terminal.type("s\r");
    const screen = await terminal.waitFor("Done.");
    expect(screen.match(/hello from one\.example\.com/g)).toHaveLength(2);
  });

  test("closes when its call has ended", async () => {
    const terminal = await open("curl -sS -m 1 http://one.example.com/; true");
    await terminal.waitFor("Let bash reach one.example.com?");
    const screen = await terminal.waitFor("Done.");
    expect(screen).not.toContain("Let bash reach");
    terminal.type("/network\r");
    await terminal.waitFor(
      /one\.example\.com was refused: asked, not answered before the call ended\. To allow it: \/permissions,\s+allow host\(one/,
    );
  });
});
