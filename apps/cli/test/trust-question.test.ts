// Promise 1 of SECURITY.md.
import { join } from "node:path";
import type { TrustedFile } from "@ikigai/core";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderTrust } from "../src/render/question/render-trust.ts";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

const places = { home: "/home/u/.ikigai", userHome: "/home/u", projectDir: "/p", directories: [] };

test("names every file that runs, instructs the model or has changed, however many there are", () => {
  const part = fc.constantFrom("a", "b-tool", "x.md", "SKILL.md", "scripts");
  const directory = fc.constantFrom("hooks", "tools", "skills", "agents", "commands", "../.claude/skills", "lib");
  const file = fc.record({
    path: fc
      .tuple(directory, fc.array(part, { minLength: 1, maxLength: 3 }))
      .map(([root, rest]) => [root, ...rest].join("/")),
    kind: fc.constantFrom("file 644", "file 755", "file 711", "link to ../x, file 644", "link to nowhere", "FIFO"),
    change: fc.option(fc.constantFrom("new", "changed", "removed"), { nil: undefined }),
  });
  const data = Array.from({ length: 100 }, (_, index) => ({
    path: `lib/d${index}.txt`,
    kind: "file 644",
    change: undefined,
  }));
  const property = fc.property(fc.uniqueArray(file, { selector: ({ path }) => path, maxLength: 90 }), (drawn) => {
    const files = [...data, ...drawn].map((one) => ({ ...one, sha256: "" })) as TrustedFile[];
    const report = { status: "changed" as const, dir: "/p/.ikigai", files };
    const shown = renderTrust(report, [], places as never);
    const isNamed = ({ path }: { path: string }) =>
      shown.includes(`  ${path.startsWith("../") ? path.slice(3) : path}  `) ||
      shown.includes(`${join(".ikigai", path)}  `);
    for (const one of drawn) {
      const isActive =
        !one.kind.endsWith("file 644") ||
        one.path.endsWith("-tool") ||
        /^(?:hooks|skills|\.\.\/\.claude\/skills)\/|^agents\/[^/]+\.md$|^commands\/.*\.md$/.test(one.path);
      if (isActive || one.change !== undefined) expect(isNamed(one), `${JSON.stringify(one)}\n${shown}`).toBe(true);
    }
    expect(shown).toMatch(
      /\n {2}… \d+ more files that are neither programs nor texts for the model: ikigai trust --show/,
    );
    expect(renderTrust(report, [], places as never, { isWhole: true })).toContain("lib/d99.txt");
  });
  fc.assert(property, { numRuns: 50 });
});

const text = (name: string, body: string) => `---\nname: ${name}\ndescription: ${body}\n---\n${body}\n`;

const own = {
  "home/.ikigai/skills/pdf/SKILL.md": text("pdf", "of the user"),
  "home/.ikigai/agents/reviewer.md": text("reviewer", "of the user"),
  "home/.ikigai/commands/git/log.md": "of the user",
};

test("names the user's skills, agents and commands that a project would override", async () => {
  const root = await tempDir({
    ...own,
    "project/.claude/skills/pdf/SKILL.md": text("pdf", "of the project"),
    "project/.ikigai/agents/reviewer.md": text("reviewer", "of the project"),
    "project/.ikigai/commands/git/log.md": "of the project",
  });
  const [cwd, env] = [join(root, "project"), { HOME: join(root, "home") }];
  const overridden = [
    "your skill pdf (~/.ikigai/skills/pdf/SKILL.md)",
    "your agent reviewer (~/.ikigai/agents/reviewer.md)",
    "your command /git:log (~/.ikigai/commands/git/log.md)",
  ];
  for (const what of overridden)
    expect((await ikigai(["trust", "--show"], { cwd, env })).stdout).toContain(`  would override ${what}\n`);
  const terminal = await openTerminal(["--model", "offline"], { cwd, env });
  await terminal.waitFor("Trust this?");
  for (const what of overridden) expect(terminal.screen()).toContain(`would override ${what}`);
  terminal.type("n");
});

test("another name inside of a file overrides nothing", async () => {
  const root = await tempDir({
    ...own,
    "project/.ikigai/skills/innocent/SKILL.md": text("pdf", "of the project"),
    "project/.ikigai/agents/other.md": text("reviewer", "of the project"),
    "project/.ikigai/agents/new.md": text("another", "of the project, too"),
  });
  const { env: model, requests } = await startModel([]);
  const options = { cwd: join(root, "project"), env: { ...model, HOME: join(root, "home") } };
  expect((await ikigai(["trust", "--yes"], options)).stdout).not.toContain("would override");
  const { stderr } = await ikigai(["-p", "hello", "--model", "openai-compatible/m"], options);
  const prompt = JSON.stringify(requests[0]?.messages);
  expect(prompt).toContain("- pdf: of the user");
  expect(prompt).toContain("- reviewer: of the user");
  expect(prompt).toContain("- another: of the project, too");
  expect(stderr).toMatch(/it is called pdf, as your skill .* is; to override yours, its directory must be called pdf/);
  expect(stderr).toMatch(/other\.md is not used: it is called reviewer, as your agent .*reviewer\.md is\./);
});
