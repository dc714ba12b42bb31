// @module-tag sampled
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkTool, tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";

/** Shared by all tests: compiling Go's library takes longer than anything else here. */
const goCache = join(import.meta.dirname, "../../../.turbo/go-build");

const bin = fileURLToPath(new URL("../dist/create-tool.js", import.meta.url));

function create(cwd: string, args: readonly string[]) {
  return spawnSync(bin, args, { cwd, encoding: "utf8" });
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((directory) => existsSync(join(directory, program)));
}

describe.each([
  { lang: "bash", program: "jq", steps: [], written: ["test.sh"] },
  { lang: "python", program: "python3", steps: [], written: ["test_line_count.py"] },
  { lang: "node", program: "node", steps: [], written: ["line-count.test.mjs"] },
  { lang: "go", program: "go", steps: ["npm run build"], written: ["go.mod", "main.go", "main_test.go"] },
])("a package in $lang (needs $program)", ({ lang, program, steps, written }) => {
  test.runIf(isOnPath(program))(
    "passes its tests, packs only its tool, and conforms to the protocol",
    {
      timeout: 180_000,
    },
    async () => {
      const cwd = await tempDir();
      const { status, stdout, stderr } = create(cwd, ["@acme/line-count", "--lang", lang]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      const said = [...stdout.matchAll(/^ {2}(.*)$/gm)].map(([, step = ""]) => step.replace(/ +#.*/, ""));
      expect(said).toEqual([
        "cd line-count-tool",
        "npm test",
        ...steps,
        "npm run check",
        "ikigai tool add .",
        "npm publish",
      ]);
      const folder = join(cwd, "line-count-tool");
      expect(readdirSync(join(folder, "line-count")).sort()).toEqual(written);
      // A program for one kind of machine is published, not committed.
      const ignored = readFileSync(join(folder, ".gitignore"), "utf8").split("\n");
      expect(ignored.includes("/line-count-tool")).toBe(steps.length > 0);
      const env = { ...process.env, GOCACHE: goCache };
      const npm = (...args: string[]) =>
        execFileSync("npm", args, { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
      npm("test");
      const [packed] = JSON.parse(npm("pack", "--json").replace(/^[^[]*\[/, "["));
      expect(packed.files.map(({ path }: { path: string }) => path).sort()).toEqual([
        "LICENSE",
        "README.md",
        "line-count-tool",
        "package.json",
      ]);
      // The tests of the templates in the command check them on everything.
      const { results } = await checkTool(join(folder, "line-count-tool"), { only: ["schema", "answers"] });
      expect(results.filter(({ status }) => status === "failed")).toEqual([]);
      expect(readFileSync(join(folder, "README.md"), "utf8")).not.toContain("{{");
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      expect(manifest).toMatchObject({ name: "@acme/line-count-tool", ikigai: { tools: ["./line-count-tool"] } });
      // Only a compiled tool is tied to a platform.
      expect(manifest.os).toEqual(lang === "go" ? [process.platform] : undefined);
    },
  );
});

test.each([
  { lang: "bash", isBuilt: false },
  { lang: "python", isBuilt: false },
  { lang: "node", isBuilt: false },
  { lang: "go", isBuilt: true },
  { lang: "typescript", isBuilt: true },
])("a package in $lang says how to use a change, on the screen and in its README", async ({ lang, isBuilt }) => {
  const cwd = await tempDir();
  const { stdout } = create(cwd, ["x", "--lang", lang]);
  const update = isBuilt ? "npm run build && ikigai tool update x" : "ikigai tool update x";
  for (const text of [stdout, readFileSync(join(cwd, "x-tool/README.md"), "utf8")])
    expect(/; after a change: (.*)$/m.exec(text)?.[1]).toBe(update);
  const { scripts } = JSON.parse(readFileSync(join(cwd, "x-tool/package.json"), "utf8"));
  expect("build" in scripts).toBe(isBuilt);
});

test("accepts a language without --lang, which npm drops when -- is missing", async () => {
  const cwd = await tempDir();
  expect(create(cwd, ["x", "python"])).toMatchObject({ status: 0, stderr: "" });
  expect(readdirSync(join(cwd, "x-tool", "x"))).toEqual(["test_x.py"]);
});
