// @module-tag sampled
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { openEditor } from "./acp-editor.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { ikigai, some, until } from "./ikigai.ts";
import { type Script, startModel } from "./model-server.ts";
import { openTerminal, type TerminalOptions } from "./terminal.ts";

// The mode in which a conversation starts if no one has named one.

interface World extends TerminalOptions {
  readonly args?: readonly string[];
  readonly config?: object;
  readonly steps?: Script;
}

/** A conversation in a project, as a user gets it who has named no mode. */
async function converse({ args = [], config, steps = [], env, cwd = "", ...options }: World = {}) {
  const model = await startModel(steps);
  const project = cwd || (await tempDir({ "a.txt": "one\n" }));
  const HOME = await tempDir(config === undefined ? {} : { ".ikigai/config.json": JSON.stringify(config) });
  const terminal = await openTerminal(["--model", "openai-compatible/m", ...args], {
    startsInOwnMode: true,
    isFull: true,
    cwd: project,
    ...options,
    env: { HOME, ...model.env, ...env },
  });
  return { terminal, model, project, HOME };
}

const modeIn = (screen: string) => /(?:^|\n)([a-z ]+) · \S+.* openai-compatible\/m$/.exec(screen)?.[1];

describe.skipIf(!hasBubblewrap)("where the sandbox works (needs bwrap)", () => {
  test.each([
    [{}, "auto"],
    [{ config: { permission: { mode: "ask" } } }, "ask"],
    [{ config: { permission: { mode: "plan" } }, args: ["--permission-mode", "edits"] }, "allow edits"],
    [{ config: { sandbox: { enabled: false } } }, "ask"],
    [{ config: { tools: { bash: { sandbox: false } } } }, "ask"],
    [{ args: ["--sandbox"] }, "auto"],
  ])("%j starts in %s, and says nothing about it", async (world: World, mode) => {
    const { terminal } = await converse(world);
    const screen = await terminal.waitFor(/openai-compatible\/m$/);
    expect(modeIn(screen)).toBe(mode);
    expect(screen).not.toContain("Mode:");
  });

  test("edits, tests and removes without a question, and an undo brings it back", async () => {
    const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }] });
    const steps = [
      call("file_edit", { file_path: "a.txt", old_string: "one", new_string: "two" }),
      call("bash", { command: "grep two a.txt && echo x > /tmp/x && echo ran > b.txt" }),
      { text: "Edited." },
      call("bash", { command: "rm -r a.txt docs" }),
      { text: "Removed." },
    ];
    const cwd = await tempDir({ "a.txt": "one\n", "docs/b.md": "text\n" });
    const { terminal, HOME } = await converse({ steps, cwd });
    await terminal.waitFor(/openai-compatible\/m$/);
    terminal.type("edit\r");
    await terminal.waitFor("Edited.");
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("two\n");
    expect(existsSync(join(cwd, "b.txt"))).toBe(true);
    terminal.type("remove\r");
    const screen = await terminal.waitFor("Removed.");
    expect(existsSync(join(cwd, "docs"))).toBe(false);
    expect(screen).not.toContain("y  once");
    const { stdout } = await ikigai(["undo", "--yes"], { cwd, env: { HOME } });
    expect(stdout).toContain("docs/b.md");
    expect(readFileSync(join(cwd, "docs/b.md"), "utf8")).toBe("text\n");
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("two\n");
  });

  test("asks about a file that decides what runs, another directory, and leaving the sandbox", async () => {
    const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }] });
    const elsewhere = "/usr/local/ikigai-test-x";
    const steps = [
      call("file_write", { file_path: ".envrc", content: "x" }),
      call("file_write", { file_path: elsewhere, content: "x" }),
      call("bash", { command: `echo x > ${elsewhere}`, outside: "to write there" }),
    ];
    const { terminal, project } = await converse({ steps });
    await terminal.waitFor(/openai-compatible\/m$/);
    terminal.type("go\r");
    for (const asked of [".envrc", elsewhere, "leaves the sandbox: to write there"]) {
      await terminal.waitFor(asked);
      await terminal.waitFor("y  once");
      terminal.type("n");
      await terminal.waitFor(/Denied|denied/);
    }
    await terminal.waitFor("Done.");
    expect(existsSync(join(project, ".envrc")) || existsSync(elsewhere)).toBe(false);
  });

  test("with --plain, and for an editor, too", async () => {
    const steps = [{ calls: [{ name: "bash", arguments: { command: "touch made" } }] }, { text: "Made." }];
    const { terminal, project } = await converse({ steps, isFull: false, args: ["--plain"] });
    await terminal.waitForPrompt();
    terminal.type("/permissions\r");
    await terminal.waitFor("Mode: auto");
    terminal.type("go\r");
    await terminal.waitFor("Made.");
    expect(existsSync(join(project, "made"))).toBe(true);
    const { opened } = await openEditor(project, { startsInOwnMode: true });
    expect(opened.modes.currentModeId).toBe("auto");
  });

  test("-p without a mode changes nothing that no rule allows", async () => {
    const cwd = await tempDir();
    const steps = [{ calls: [{ name: "bash", arguments: { command: "touch made" } }] }];
    const { env } = await startModel(steps);
    await ikigai(["-p", "go", "--model", "openai-compatible/m"], { cwd, env });
    expect(existsSync(join(cwd, "made"))).toBe(false);
    const auto = await startModel(steps);
    await ikigai(["-p", "go", "--model", "openai-compatible/m", "--permission-mode", "auto"], { cwd, env: auto.env });
    expect(existsSync(join(cwd, "made"))).toBe(true);
  });

  test("the home directory as the project, and a machine without git, start in ask", async () => {
    const home = await tempDir();
    const inHome = await converse({ cwd: home, env: { HOME: home } });
    await inHome.terminal.waitFor(
      "is your home directory, and tools may change all of it; start ikigai in a project's",
    );
    expect(modeIn(await inHome.terminal.waitFor(/openai-compatible\/m$/))).toBe("ask");
    // Without Node on it, ikigai would add the directory of its own, which may have git.
    const PATH = await tempDir({ node: { content: `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, mode: 0o755 } });
    const { terminal } = await converse({ env: { PATH } });
    await terminal.waitFor("Mode: ask, because auto needs git, to undo what commands change");
    expect(modeIn(await terminal.waitFor(/openai-compatible\/m$/))).toBe("ask");
    const noUndo = await converse({ config: { undo: false }, env: { PATH } });
    expect(modeIn(await noUndo.terminal.waitFor(/openai-compatible\/m$/))).toBe("auto");
  });
});

test.each([
  ["1", "auto", hasBubblewrap],
  ["\b", "auto", hasBubblewrap],
  ["2", "ask", hasBubblewrap],
  ["", "ask", false],
])("the first start asks for the mode, if there is a choice: %j", async (answer, mode, isAsked) => {
  const HOME = await tempDir();
  const env = { HOME, ...(!isAsked && { IKIGAI_BWRAP: "/no/bwrap" }) };
  const terminal = await openTerminal([], { isFull: true, isNewHome: true, startsInOwnMode: true, env });
  await terminal.waitFor("Which model");
  terminal.type("8\r");
  if (isAsked) {
    await terminal.waitFor("auto: run commands in a sandbox that can change this project only");
    terminal.type(`${answer}\r`);
    await terminal.waitFor(`Number (Enter for 1): ${mode === "ask" ? 2 : 1}\nConversations start in ${mode}.`);
  }
  const screen = await terminal.waitFor(/\n(?:ask|auto) · .* offline\/plain-requests$/);
  expect(screen).toMatch(new RegExp(`\\n${isAsked ? mode : "ask"} · `));
  expect(screen.includes("Mode: ask")).toBe(!isAsked);
  const config = readFileSync(join(HOME, ".ikigai/config.json"), "utf8");
  expect(config.includes('"mode": "ask"')).toBe(answer === "2" && isAsked);
});

describe.runIf(process.platform === "linux")("where the sandbox does not work", () => {
  const missing = "Mode: ask, because auto needs the sandbox. IKIGAI_BWRAP=/no/bwrap: no such program.";
  const failing =
    "Mode: ask, because auto needs the sandbox. The sandbox cannot be started: /bin/false ended with exit code 1";
  const steps = [{ calls: [{ name: "bash", arguments: { command: "touch made" } }] }, { text: "Made." }];

  test.each(
    some(2, [
      ["/no/bwrap", missing, true],
      ["/no/bwrap", missing, false],
      ["/bin/false", failing, true],
      ["/bin/false", failing, false],
    ]),
  )("%s: starts in ask, says why in one line, and asks", async (IKIGAI_BWRAP, line, isFull) => {
    const { terminal, project } = await converse({ steps, isFull, env: { IKIGAI_BWRAP } });
    await terminal.waitFor(line);
    if (isFull) expect(modeIn(await terminal.waitFor(/ask · \S+.*openai-compatible\/m$/))).toBe("ask");
    terminal.type("go\r");
    await terminal.waitFor(/y {2}once|y once/);
    terminal.type(isFull ? "y" : "y\r");
    await terminal.waitFor("Made.");
    expect(existsSync(join(project, "made"))).toBe(true);
    expect(terminal.screen().split("Mode: ask").length).toBe(2);
  });

  test("an editor gets the mode ask, and the line with the first answer", async () => {
    const env = { ...(await startModel([])).env, IKIGAI_BWRAP: "/bin/false" };
    const args = ["--model", "openai-compatible/m"];
    const { editor, opened, sessionId, prompt } = await openEditor(await tempDir(), {
      args,
      env,
      startsInOwnMode: true,
    });
    expect(sessionId).not.toBe("");
    expect(opened.modes.currentModeId).toBe("ask");
    await editor.ask("session/prompt", prompt("hello"));
    const told = () => JSON.stringify(editor.updates("agent_thought_chunk"));
    await until(() => told().includes(failing), "the line");
  });

  test("says nothing if the user has named a mode, or turned the sandbox off", async () => {
    for (const config of [{ permission: { mode: "ask" } }, { sandbox: { enabled: false } }]) {
      const { terminal } = await converse({ config, env: { IKIGAI_BWRAP: "/no/bwrap" } });
      expect(await terminal.waitFor(/openai-compatible\/m$/)).not.toContain("Mode:");
    }
  });
});
