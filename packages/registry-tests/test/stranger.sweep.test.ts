import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { until } from "../../../apps/cli/test/ikigai.ts";
import { startModel } from "../../../apps/cli/test/model-server.ts";
import { openTerminal } from "../../../apps/cli/test/terminal.ts";
import { newDeveloper } from "./developer.ts";
import { signUp } from "./registry.ts";
import { released } from "./released.ts";
import { root } from "./repository.ts";

const release = await released();

/** The README's blocks that need a registry; the tests of the command run the others. */
const blocks = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/^```sh registry\n(.*?)^```/gms)];

/** Installing TypeScript and vitest into the new package takes longest. */
const patienceMs = 300_000;

test.runIf(inject("isThorough"))(
  "the README leads from nothing to a published tool, an upgrade and an uninstall",
  {
    timeout: 400_000,
  },
  async () => {
    const user = await newDeveloper(release, [await signUp(release.registry, "me")]);
    const model = await startModel([
      { calls: [{ name: "words", arguments: { text: "one two three" } }] },
      { text: "They are three." },
    ]);
    // The server has many models, so one must be named.
    mkdirSync(join(user.home, ".ikigai"));
    writeFileSync(join(user.home, ".ikigai/config.json"), '{ "model": "openai-compatible/m" }', { mode: 0o600 });

    const script = blocks.map(([, block]) => block).join("");
    const terminal = await openTerminal([], {
      cwd: user.home,
      env: { ...user.env, ...model.env },
      command: ["sh", "-ec", script],
    });
    const answer = async (question: string | RegExp, keys: string) => {
      const asked = () => terminal.screen().search(question) !== -1;
      await until(asked, `${question}`, patienceMs).catch((error: Error) => {
        throw new Error(`${error.message} on this screen:\n${terminal.screen()}`);
      });
      terminal.type(keys);
    };
    await answer(/^[›>]\s*$/m, "/quit\r");
    await answer("Ok to proceed", "y\r");
    await answer("Add it?", "y\r");
    expect(await terminal.exitCode, terminal.screen()).toBe(0);

    // The screen may lag behind.
    await terminal.waitFor("They are three.");
    expect(model.requests[0]?.tools.map((tool) => tool.function.name)).toContain("words");
    const sessions = join(user.home, ".ikigai/sessions");
    const events = readdirSync(sessions).map((session) => readFileSync(join(sessions, session), "utf8"));
    expect(events.join("")).toMatch(/words\\*":3/);
  },
);
