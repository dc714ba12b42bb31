import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, inject, onTestFinished, test } from "vitest";
import { shippedToolNames } from "../../../apps/cli/test/shipped-tools.ts";
import { type Machine, newMachine } from "./machine.ts";
import { newMaintainer } from "./maintainer.ts";
import { startRegistry } from "./registry.ts";
import { released } from "./released.ts";
import { commit, turboCache, version } from "./repository.ts";

/** The next version goes to a separate registry, because the other tests install the newest one. */
const { repository, storage, npm } = await released();

const changeset = `---
"@ikigai/grep-tool": minor
---

Finds lost matches. Patterns match as before.
`;

const todayTool = `#!/bin/sh
[ "$1" = --schema ] && { echo '{"name":"today","description":"Tells the date","parameters":{"type":"object"}}'; exit; }
cat > /dev/null; printf '{"date":"2026-11-21"}'
`;

test.runIf(inject("isThorough"))(
  "a changeset becomes a version, and upgrading to it keeps the user's files",
  {
    timeout: 300_000,
  },
  async () => {
    const registry = await startRegistry(npm.registry, storage);
    onTestFinished(registry.stop);
    const maintainer = await newMaintainer(registry.url, npm);
    const user = await newMachine([`registry=${registry.url}`]);
    const project = await tempDir({ "notes.txt": "keep me\n", ".ikigai/tools/today-tool": todayTool });
    const ask = (prompt: string) => user.run("ikigai", ["-p", prompt], { cwd: project });
    const today = async () => JSON.parse((await user.shell("ikigai tool call today '{}'", { cwd: project })).stdout);

    await user.shell("npm install --global @ikigai/cli");
    const config = '{ "model": "offline", "permission": { "rules": [{ "allow": "bash(echo*)" }] } }\n';
    await user.shell(`mkdir -p .ikigai/tools && cat > .ikigai/config.json`, { stdin: config });
    await user.shell("cat > .ikigai/tools/mine-tool && chmod +x .ikigai/tools/mine-tool", { stdin: todayTool });
    await user.run("ikigai", ["trust", "--yes"], { cwd: project });
    expect((await ask("run echo before")).stdout).toBe("before\n");
    const [session = ""] = readdirSync(join(user.home, ".ikigai/sessions"));
    const before = readFileSync(join(user.home, ".ikigai/sessions", session), "utf8");

    const next = await releaseNext(maintainer);
    await user.shell("npm install --global @ikigai/cli@latest");

    expect((await user.shell("ikigai --version")).stdout).toContain(next);
    expect(readFileSync(join(user.home, ".ikigai/config.json"), "utf8")).toBe(config);
    expect(readFileSync(join(user.home, ".ikigai/sessions", session), "utf8")).toBe(before);
    expect((await user.shell("ikigai tool log", { cwd: project })).stdout).toContain("echo before");
    expect((await ask("run echo after")).stdout).toBe("after\n");
    expect(await today()).toEqual({ tool_success: true, result: { date: "2026-11-21" } });
    const tools = JSON.parse((await user.shell("ikigai tool list --json", { cwd: project })).stdout);
    expect(tools).toContainEqual(expect.objectContaining({ name: "mine", scope: "user", status: "loaded" }));
    const shipped = tools.filter(({ scope }: { scope: string }) => scope === "system");
    expect(shipped.map(({ name }: { name: string }) => name)).toEqual(shippedToolNames);
  },
);

/** Releases the next version, following CONTRIBUTING.md. */
async function releaseNext(maintainer: Machine): Promise<string> {
  const cwd = repository;
  writeFileSync(join(cwd, ".changeset/found.md"), changeset);
  await maintainer.shell("npx changeset version", { cwd });
  await commit(maintainer, cwd, "Version packages");
  const manifests = ["packages/grep-tool", "packages/core", "apps/cli"].map((dir) =>
    JSON.parse(readFileSync(join(cwd, dir, "package.json"), "utf8")),
  );
  const next = String(manifests[0].version);
  expect(next).not.toBe(version);
  expect(manifests.map((manifest) => manifest.version)).toEqual([next, next, next]);
  expect(readFileSync(join(cwd, "packages/grep-tool/CHANGELOG.md"), "utf8")).toContain("Finds lost matches.");
  await maintainer.shell("npm run check", { cwd });
  await maintainer.shell("npm run release", { cwd, env: turboCache });
  expect((await maintainer.shell("git tag", { cwd })).stdout).toContain(`@ikigai/cli@${next}\n`);
  return next;
}
