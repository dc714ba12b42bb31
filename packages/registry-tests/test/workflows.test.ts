import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { newMachine } from "./machine.ts";
import { signUp } from "./registry.ts";
import { released } from "./released.ts";
import { root } from "./repository.ts";

const { registry, pnpm } = await released();
const folder = join(root, ".github/workflows");
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
const example = "examples/many-machines/workflow.yml";
const all = [...workflows, { name: example, text: readFileSync(join(root, example), "utf8") }];

test.each(all)("$name pins every action to a commit, and runs only scripts that exist", ({ text }) => {
  const actions = [...text.matchAll(/uses: (.*)/g)].map(([, action]) => action);
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions)
    expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$|^\.\/\.github\/workflows\/ci\.yml$/);
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const [, script] of text.matchAll(
    /(?:(?:run|publish): npm (?:run )?|script: "?)(?!run\b|install --global\b)([a-z][\w:]*)/g,
  ))
    expect(Object.keys(scripts)).toContain(script);
});

test("every CI workflow on Linux installs the programs without which tests are skipped", () => {
  const packages = (file: string) =>
    /apt-get install -y -qq (.*?)(?:;|$)/m
      .exec(readFileSync(join(root, file), "utf8"))?.[1]
      ?.trim()
      .split(" ")
      .sort();
  expect(packages(".ci/run")).toContain("bubblewrap");
  for (const name of ["ci.yml", "slow.yml"])
    expect(packages(join(".github/workflows", name))).toEqual(packages(".ci/run"));
});

test("release.yml publishes only after the tests, without a stored token", () => {
  const text = workflows.find(({ name }) => name === "release.yml")?.text;
  expect(text).toMatch(/ {2}test:\n {4}uses: \.\/\.github\/workflows\/ci\.yml\n/);
  expect(text).toMatch(/ {2}release:\n {4}needs: test\n/);
  expect(text).toContain("id-token: write");
  expect(text).not.toContain("NPM_TOKEN");
});

test("the variable by which release.yml asks for provenance is one that pnpm reads", async () => {
  const [, name = "", value = ""] =
    /(\w*PROVENANCE): "(\w+)"/.exec(workflows.find(({ name }) => name === "release.yml")?.text ?? "") ?? [];
  const manifest = JSON.stringify({ name: "@me/signed", version: "1.0.0" });
  const cwd = await tempDir({ "package.json": manifest });
  const someone = await newMachine([`registry=${registry}`, await signUp(registry, "someone")], { programs: [pnpm] });
  const publish = someone.run("pnpm", ["publish", "--no-git-checks"], { cwd, env: { [name]: value } });
  await expect(publish).rejects.toThrow("ERR_PNPM_PROVENANCE_UNSUPPORTED_PROVIDER");
});
