// @module-tag sampled
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openEditor } from "./acp-editor.ts";
import { evil } from "./evil-texts.ts";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { look, lookHome, png } from "./showing-home.ts";
import { openTerminal } from "./terminal.ts";

const args = ["--allow", "look", "--model", "openai-compatible/m"];
const chart = { type: "chart", kind: "bar", labels: ["a"], series: [{ name: "n", values: [1] }], alt: "A bar" };
const image = { type: "image", path: "a.png", alt: "A grey box" };

async function project() {
  const cwd = await tempDir();
  writeFileSync(join(cwd, "a.png"), png(8, 8));
  return cwd;
}

test("line mode draws charts, and names images, also in a terminal with images", async () => {
  const { env } = await startModel([look([image], [chart]), { text: "Seen." }]);
  const more = { HOME: await lookHome(), ...env, TERM_PROGRAM: "iTerm.app", KITTY_WINDOW_ID: "1" };
  const terminal = await openTerminal(args, { cwd: await project(), env: more });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await terminal.waitFor("Seen.");
  const screen = terminal.screen();
  expect(screen).toMatch(
    /● look[\s\S]*\n {2}A bar\n {2}a {2}█+ {2}1\n[\s\S]* {2}Looked\.\n[\s\S]* {2}A grey box\n {2}image: a\.png \(8 x 8\)\n/,
  );
  expect(terminal.raw()).not.toContain("1337");
  expect(terminal.raw()).not.toContain("\u001b_");
});

test.each([
  ["ASCII", { LC_ALL: "C" }, / {2}a {2}#+ {2}1\n/],
  ["NO_COLOR", { NO_COLOR: "1" }, / {2}a {2}█+ {2}1\n/],
])("a pipe with %s gets a chart without control characters", async (_, variables, expected) => {
  const { env } = await startModel([look([chart, image, { ...chart, labels: [evil], alt: evil }]), { text: "Seen." }]);
  const { stdout } = await ikigai(args, {
    env: { ...env, ...variables, HOME: await lookHome() },
    cwd: await project(),
    typed: "go\n",
  });
  expect(stdout).toMatch(expected);
  expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

test("print mode does not offer show, and a replay has what was drawn", async () => {
  const { env, requests } = await startModel([look([chart, image], [chart]), { text: "Seen." }]);
  const HOME = await lookHome();
  const options = { cwd: await project(), env: { ...env, HOME } };
  expect(await ikigai(["-p", "go", ...args], options)).toMatchObject({ stdout: "Seen.\n", stderr: "" });
  const { result } = JSON.parse(String(requests[1]?.messages.at(-1)?.content));
  expect(result).toEqual({ output: "Looked.", visual: ["A bar", "A grey box"], replies: [] });
  const logs = () => {
    const dir = join(HOME, ".ikigai/sessions");
    return readdirSync(dir)
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => join(dir, name));
  };
  const visuals = (path: string) =>
    readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .find(({ type }) => type === "tool_result").visuals;
  const [first = ""] = logs();
  expect(visuals(first)).toMatchObject([
    chart,
    { path: join(options.cwd, "a.png"), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  await ikigai(["-p", "--replay", first, "--output-format", "json"], options);
  const second = logs().find((path) => path !== first) ?? "";
  expect(visuals(second)).toEqual(visuals(first));
});

test("a repeated call has the same result, also if it showed something", async () => {
  const { env } = await startModel([look([chart, image], [chart]), { text: "Seen." }]);
  const options = { cwd: await project(), env: { ...env, HOME: await lookHome() } };
  const { stdout } = await ikigai(args, { ...options, typed: "go\n" });
  expect(stdout.split("A bar")).toHaveLength(5);
  const replayed = await ikigai(["replay", "1", "--yes"], options);
  expect(replayed.stdout).toContain("Same result: ");
});

test("an editor gets the texts, and offers no show", async () => {
  const home = await lookHome();
  const { env, requests } = await startModel([look([chart], [chart])]);
  const { editor, prompt } = await openEditor(await project(), { home, env, args });
  const id = editor.post("session/prompt", prompt("go"));
  expect((await editor.answer(id)).result?.stopReason).toBe("end_turn");
  const { result } = JSON.parse(String(requests[1]?.messages.at(-1)?.content));
  expect(result).toEqual({ output: "Looked.", visual: ["A bar"], replies: [] });
});
