// @module-tag sampled
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentsWorld, bashStep } from "./agents-world.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { isOnPath } from "./is-on-path.ts";
import { startRegistry } from "./npm-registry.ts";

const auto = ["--permission-mode", "auto"] as const;

/** Runs commands one after the other in one session; returns what they answered. */
async function world(
  files: Parameters<typeof agentsWorld>[1] = {},
  variables: (project: string) => NodeJS.ProcessEnv = () => ({}),
) {
  let commands: readonly string[] = [];
  const steps = [0, 1, 2, 3].map((at) => () => {
    const command = commands[at];
    return command === undefined ? { text: "Done." } : bashStep(command);
  });
  const one = await agentsWorld({ GO: steps }, { ...files });
  return {
    ...one,
    /** What the user's home has now, without ikigai's own. */
    left: (path: string) => (existsSync(join(one.root, path)) ? readdirSync(join(one.root, path)) : []),
    async run(given: readonly string[], ...options: readonly string[]) {
      commands = given;
      const { report } = await one.run("GO", options, { env: variables(one.cwd) });
      return report.tool_calls.map(({ envelope }) => envelope.result);
    },
  };
}

const passed = { exit_code: 0 };

describe.skipIf(!hasBubblewrap)("the caches of the sandbox (need bwrap)", () => {
  test("npm installs from a registry that a rule opens, and neither sees nor changes ~/.npm", async () => {
    const { url } = await startRegistry({ little: {} });
    const port = new URL(url).port;
    const registry = `--registry http://localhost:${port}`;
    const { run, left } = await world({
      "home/.npm/own": "",
      "project/package.json": '{"name":"x","version":"1.0.0"}',
    });
    const results = await run(
      [
        `ls ~/.npm; npm install ${registry} little`,
        `rm -r node_modules; npm install ${registry} --offline; node -p 'require("little")'`,
      ],
      ...auto,
      ...["--allow", `host(localhost:${port})`],
    );
    expect(results).toMatchObject([
      { ...passed, output: expect.stringMatching(/\.npm'?: No such file.*added 1 package/s) },
      { ...passed, output: expect.stringContaining("from the registry") },
    ]);
    expect(left("home/.npm")).toEqual(["own"]);
  });

  test.skipIf(!isOnPath("go"))("go builds, also where there is no repository (needs go)", async () => {
    const { run, left } = await world({
      "project/go.mod": "module hello\n\ngo 1.19\n",
      "project/main.go": "package main\n\nfunc main() { println(42) }\n",
    });
    expect(await run(["go build -o hello && ./hello && go vet ."], ...auto)).toMatchObject([
      { ...passed, output: "42" },
    ]);
    expect(await run(["go build -o /tmp/h && /tmp/h && go vet ."], "--permission-mode", "plan")).toMatchObject([
      passed,
    ]);
    expect(left("home")).toEqual([".ikigai"]);
  });

  test.skipIf(!isOnPath("python3"))("pip has a cache to write to (needs python3)", async () => {
    const { run } = await world();
    const command =
      'python3 -m venv --without-pip .venv && mkdir "$(python3 -m pip cache dir)" && python3 -m pip download --no-index x';
    const [result] = await run([command], ...auto);
    expect(result?.output).toContain("No matching distribution");
    expect(result?.output).not.toContain("cache");
  });

  test("of Cargo's and Go's directories only the cached parts are replaced", async () => {
    const { run, left } = await world({
      "home/.cargo/registry/own": "",
      "home/.cargo/bin/tool": "",
      "home/go/bin/tool": "",
    });
    const command =
      "ls ~/.cargo ~/.cargo/* ~/go/*; touch ~/.cargo/registry/new ~/.cargo/git/new ~/go/pkg/new && touch ~/.cargo/bin/x";
    const [first, second] = await run([command, "ls ~/.cargo/registry ~/.cargo/git ~/go/pkg"], ...auto);
    expect(first?.output).toMatch(/touch: [^\n]*cargo\/bin\/x'?: Read-only file system/);
    expect(first?.output).not.toContain("own");
    expect(first?.output).toMatch(/bin:\ntool/);
    expect(second?.output.match(/new/g)).toHaveLength(3);
    expect([left("home/.cargo/registry"), left("home/.cargo/git"), left("home/go/pkg")]).toEqual([["own"], [], []]);
  });

  test("a link where a cache should be leads no later call to another directory", async () => {
    const { run, home } = await world({ "home/.cargo/bin/tool": "", "home/go/bin/tool": "", "home/.secret": "hidden" });
    const links = ["~/.cache/cargo/registry", "~/.cache/go/pkg", "~/.cargo/registry", "~/go/pkg", "/tmp/.cache"];
    const plant = links.map((link) => `mkdir -p ${link}; rm -r ${link}; ln -s $HOME ${link}`).join("; ");
    for (const mode of [auto, ["--permission-mode", "plan"]]) {
      await run([`{ ${plant}; } 2>&1; true`], ...mode);
      const [found] = await run(["cat ~/.cargo/registry/.secret ~/go/pkg/.secret ~/.cache/.secret; true"], ...mode);
      expect(found?.output).not.toContain("hidden");
      const [made] = await run(["touch ~/.cargo/registry/evil ~/go/pkg/evil ~/.cache/evil; true"], ...mode);
      expect(made).toMatchObject(passed);
      expect(readdirSync(join(home, ".."))).not.toContain("evil");
    }
  });

  test("what only reads has a cache of the session, and changes none that stays", async () => {
    const { run, home } = await world();
    await run(["touch ~/.cache/kept"], ...auto);
    const results = await run(["ls ~/.cache; touch ~/.cache/new", "ls ~/.cache"], "--permission-mode", "plan");
    expect(results).toMatchObject([
      { ...passed, output: expect.not.stringContaining("kept") },
      { ...passed, output: expect.stringMatching(/^new$/m) },
    ]);
    const [project = ""] = readdirSync(join(home, "projects"));
    expect(readdirSync(join(home, "projects", project, "cache"))).toEqual(["kept"]);
  });

  test("a variable that names a cache counts only where a tool may write", async () => {
    const { run } = await world({}, (project) => ({
      GOCACHE: join(project, "x"),
      npm_config_cache: "/var/cache/npm",
      UV_CACHE_DIR: "/var/cache/uv",
    }));
    const [shown] = await run(["echo $GOCACHE $npm_config_cache $UV_CACHE_DIR"], ...auto);
    expect(shown?.output).toMatch(/^[^ ]+\/project\/x [^ ]+\/home\/.cache\/npm$/);
  });

  test("the user's own cache is used where it was made writable", async () => {
    const config = JSON.stringify({ sandbox: { writable: ["~/.cache"] } });
    const { run, left } = await world({ "home/.ikigai/config.json": config, "home/.cache/": "" });
    expect(await run(["touch ~/.cache/x; echo $npm_config_cache"], ...auto)).toMatchObject([{ ...passed, output: "" }]);
    expect(left("home/.cache")).toEqual(["x"]);
  });
});
