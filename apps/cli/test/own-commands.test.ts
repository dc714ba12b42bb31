import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

const files = {
  ".ikigai/commands/say.md": "---\ndescription: Say it\nargument-hint: WORDS\n---\nrun echo $ARGUMENTS\n",
  ".ikigai/commands/git/log.md": "run echo the log\n",
  ".ikigai/commands/help.md": "run echo not this one\n",
  ".ikigai/commands/empty.md": "",
};

async function place() {
  const options = { cwd: await tempDir(), env: { HOME: await tempDir(files) } };
  const lines = (stdin: string) => ikigai(["--model", "offline", "--allow", "bash"], { ...options, stdin });
  const print = (prompt: string) => ikigai(["-p", prompt, "--model", "offline", "--allow", "bash"], options);
  return { options, lines, print };
}

test("line mode runs and lists the user's own commands, and prefers its own", async () => {
  const { lines } = await place();
  const { stdout } = await lines("/say a  b\n/git:log\n/help\n/empty\n/nosuch\n");
  expect(stdout).toContain("\na b\n");
  expect(stdout).toContain("\nthe log\n");
  expect(stdout).toMatch(/^ *\/say WORDS +Say it \(user\)$/m);
  expect(stdout).not.toContain("\nnot this one\n");
  expect(stdout).toContain("The file of /empty is empty or too long.\n");
  expect(stdout).toContain("There is no command /nosuch.");
});

test("-p runs them too, and sends any other text as it is", async () => {
  const { print } = await place();
  expect((await print("/say hello")).stdout).toBe("hello\n");
  expect((await print("/help")).stdout).toBe("not this one\n");
  const { stdout } = await print("/nosuch thing");
  expect(stdout).not.toContain("There is no command");
});

test("a project's commands run only after trust", async () => {
  const { options, print } = await place();
  const cwd = await tempDir({ ".ikigai/commands/say.md": "run echo of the project\n" });
  const there = (prompt: string) =>
    ikigai(["-p", prompt, "--model", "offline", "--allow", "bash"], { ...options, cwd });
  expect((await there("/say x")).stdout).toBe("x\n");
  expect((await ikigai(["trust", "--yes"], { ...options, cwd })).exitCode).toBe(0);
  expect((await there("/say x")).stdout).toContain("of the project");
  expect((await print("/say x")).stdout).toBe("x\n");
});
