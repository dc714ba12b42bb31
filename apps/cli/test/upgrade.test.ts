// @module-tag sampled
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseArgv } from "../src/args/parse-argv.ts";
import { installation, npmPrefix } from "../src/commands/upgrade.ts";
import { cleanEnv, ikigai } from "./ikigai.ts";

describe("the path of a copy tells who installed it", () => {
  test.each([
    [
      "/home/me/.local/share/pnpm/store/v11/links/@ikigai/cli/0.1.0/e0/node_modules/@ikigai/cli/dist/x.js",
      "pnpm add -g @ikigai/cli@latest",
      "pnpm remove -g @ikigai/cli",
    ],
    [
      "/home/me/.local/share/pnpm/global/5/.pnpm/@ikigai+cli@0.1.0/node_modules/@ikigai/cli/dist/x.js",
      "pnpm add -g @ikigai/cli@latest",
      "pnpm remove -g @ikigai/cli",
    ],
    [
      "/home/me/.config/yarn/global/node_modules/@ikigai/cli/dist/x.js",
      "yarn global add @ikigai/cli@latest",
      "yarn global remove @ikigai/cli",
    ],
    [
      "/home/me/.bun/install/global/node_modules/@ikigai/cli/dist/x.js",
      "bun add -g @ikigai/cli@latest",
      "bun remove -g @ikigai/cli",
    ],
    [
      "/pre/lib/node_modules/@ikigai/cli/dist/x.js",
      "npm install -g @ikigai/cli@latest",
      "npm uninstall -g @ikigai/cli",
    ],
    [
      "/my prefix/lib/node_modules/@ikigai/cli/dist/x.js",
      "npm install -g --prefix '/my prefix' @ikigai/cli@latest",
      "npm uninstall -g --prefix '/my prefix' @ikigai/cli",
    ],
    [
      "/proj/node_modules/@ikigai/cli/dist/x.js",
      "cd /proj && npm install @ikigai/cli@latest",
      "cd /proj && npm uninstall @ikigai/cli",
    ],
    [
      "/proj/node_modules/.pnpm/@ikigai+cli@0.1.0/node_modules/@ikigai/cli/dist/x.js",
      "cd /proj && npm install @ikigai/cli@latest",
      "cd /proj && npm uninstall @ikigai/cli",
    ],
    ["/home/me/.npm/_npx/1a2b/node_modules/@ikigai/cli/dist/x.js", "npx @ikigai/cli@latest", undefined],
    [
      "/home/me/.cache/pnpm/dlx/1a2b/3c/node_modules/.pnpm/@ikigai+cli@0.1.0/node_modules/@ikigai/cli/dist/x.js",
      "pnpm dlx @ikigai/cli@latest",
      undefined,
    ],
    ["/tmp/bunx-0-@ikigai/cli@latest/node_modules/@ikigai/cli/dist/x.js", "bunx @ikigai/cli@latest", undefined],
    ["/home/me/copied/dist/x.js", "npm install -g @ikigai/cli@latest", undefined],
  ])("%s", (file, update, remove) => {
    const copy = installation({ npm_config_prefix: "/pre" }, file);
    expect([copy.update, copy.remove]).toEqual([update, remove]);
  });
});

describe("npm's own prefix", () => {
  test("is the one with Node's bin directory", async () => {
    const HOME = await tempDir();
    expect(npmPrefix({ HOME }, "/opt/node/bin/node")).toBe("/opt/node");
    expect(npmPrefix({ HOME, PREFIX: "/other" }, "/opt/node/bin/node")).toBe("/other");
  });

  test("is the one that the environment, the user's .npmrc or Node's npmrc sets, in this order", async () => {
    const node = await tempDir({ "etc/npmrc": "; global\nprefix=/from/node\n" });
    const program = join(node, "bin", "node");
    const HOME = await tempDir({ ".npmrc": "registry=https://r.example/\n  prefix = /from/user  \n" });
    expect(npmPrefix({ HOME: await tempDir() }, program)).toBe("/from/node");
    expect(npmPrefix({ HOME }, program)).toBe("/from/user");
    expect(npmPrefix({ HOME, NPM_CONFIG_PREFIX: "/from/env" }, program)).toBe("/from/env");
  });
});

/** Another user than the one that runs the tests; a process can become it only as root. */
const stranger = 65_534;
const isRoot = process.getuid?.() === 0;

describe("in a prefix of npm's", () => {
  let prefix = "";
  let env: Record<string, string> = {};
  const scope = () => join(prefix, "lib/node_modules/@ikigai");

  beforeAll(async () => {
    prefix = realpathSync(await tempDir());
    env = await cleanEnv();
    const dist = join(scope(), "cli/dist");
    cpSync(fileURLToPath(new URL("../dist", import.meta.url)), dist, { recursive: true });
    mkdirSync(join(prefix, "bin"));
    symlinkSync(join(dist, "ikigai.js"), join(prefix, "bin/ikigai"));
    for (const directory of [prefix, env.HOME ?? ""]) chmodSync(directory, 0o755);
  });

  /** Runs the installed command. */
  function run(word: string, options: { env?: Record<string, string>; uid?: number } = {}) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(prefix, "bin/ikigai"), word], {
      ...options,
      cwd: "/",
      env: { ...env, ...options.env },
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  }

  test("upgrade prints the exact command", () => {
    expect(run("upgrade")).toEqual({
      status: 0,
      stdout: `This is ikigai 0.1.0: npm installed it in ${prefix}/lib/node_modules.
To update it, type:

  npm install -g --prefix ${prefix} @ikigai/cli@latest

To update the tools that you have added: ikigai tool update
`,
      stderr: "",
    });
    expect(run("upgrade", { env: { npm_config_prefix: prefix } }).stdout).toContain(
      "\n  npm install -g @ikigai/cli@latest\n",
    );
  });

  test("uninstall prints the exact command, what stays and how to remove that", async () => {
    const home = join(await tempDir(), "my home");
    const none = run("uninstall", { env: { IKIGAI_HOME: home } });
    expect(none).toMatchObject({ status: 0, stderr: "" });
    expect(none.stdout).toContain(`\n  npm uninstall -g --prefix ${prefix} @ikigai/cli\n`);
    expect(none.stdout).toContain(`\nNothing is stored in ${home}.\n`);
    mkdirSync(home);
    writeFileSync(join(home, "credentials.json"), '{"openai":{"keyring":true},"google":{"apiKey":"k"}}');
    const some = run("uninstall", { env: { IKIGAI_HOME: home } }).stdout;
    expect(some).toContain(`stay in ${home}. To delete them too:\n\n  rm -rf '${home}'\n`);
    expect(some).toMatch(/To remove your API keys from the .+ first:\n\n {2}ikigai logout openai\n\n.*type:\n/);
  });

  test("uninstall lists the pages of web_fetch and the worktrees of agents", async () => {
    const HOME = await tempDir();
    const env = { HOME, XDG_CACHE_HOME: join(HOME, "my cache"), TMPDIR: await tempDir() };
    expect(run("uninstall", { env }).stdout).not.toContain("rm -rf");
    const [pages, worktrees] = [join(HOME, "my cache/ikigai"), join(HOME, ".local/state/ikigai")];
    for (const path of [pages, worktrees]) mkdirSync(path, { recursive: true });
    const { stdout } = run("uninstall", { env });
    expect(stdout).toContain(`web_fetch has read stay in ${pages}. To delete them too:\n\n  rm -rf '${pages}'\n`);
    expect(stdout).toContain(`stay in ${worktrees}. To delete them too:\n\n  rm -rf ${worktrees}\n`);
  });

  test("says that the directory is the user's own, but not writable", () => {
    chmodSync(scope(), 0o555);
    onTestFinished(() => chmodSync(scope(), 0o755));
    if (isRoot) {
      chownSync(scope(), stranger, stranger);
      onTestFinished(() => chownSync(scope(), 0, 0));
    }
    expect(run("upgrade", isRoot ? { uid: stranger } : {}).stdout).toContain(
      `\nYou cannot write to ${scope()}, although it is yours. First: chmod u+w ${scope()}\n`,
    );
  });

  test.runIf(isRoot)("says who owns a directory that is not writable", () => {
    const needed = "\nYou cannot write to ";
    expect(run("upgrade").stdout).not.toContain(needed);
    const { stdout, status } = run("upgrade", { uid: stranger });
    expect(status).toBe(0);
    expect(stdout).toContain(
      `${needed}${scope()}, which belongs to root. Run the command as root, for example with sudo.`,
    );
    for (const word of ["upgrade", "uninstall"]) expect(run(word, { uid: stranger }).stdout).toContain(needed);
  });
});

test("pnpm's store is recognized by the built command", async () => {
  const root = await tempDir();
  const dist = join(root, "pnpm/store/v11/links/cli/dist");
  cpSync(fileURLToPath(new URL("../dist", import.meta.url)), dist, { recursive: true });
  const { stdout } = spawnSync(process.execPath, [join(dist, "ikigai.js"), "upgrade"], { cwd: root, encoding: "utf8" });
  expect(stdout).toContain("\n  pnpm add -g @ikigai/cli@latest\n");
});

test("from a clone, the commands name the clone, and a link to it", async () => {
  const clone = dirname(dirname(fileURLToPath(new URL("..", import.meta.url))));
  const HOME = await tempDir();
  const upgrade = await ikigai(["upgrade"], { env: { HOME } });
  expect(upgrade).toMatchObject({ exitCode: 0, stderr: "" });
  expect(upgrade.stdout).toContain(`it runs from the clone in ${clone}.\nTo update it, type:\n`);
  expect(upgrade.stdout).toContain(`\n  cd ${clone} && git pull && npm start -- --version\n`);
  const remove = (await ikigai(["uninstall"], { env: { HOME } })).stdout;
  expect(remove).toContain("\nTo remove it, delete that directory.\n");
  const link = join(await tempDir(), "ikigai");
  symlinkSync(join(clone, "apps/cli/dist/ikigai.js"), link);
  const linked = spawnSync(process.execPath, [link, "uninstall"], { env: { HOME, PATH: "" }, encoding: "utf8" });
  expect(linked.stdout).toContain(`\n${link} is a link to the clone.\n`);
});

test("update says where each update is", async () => {
  const { exitCode, stdout, stderr } = await ikigai(["update"], { env: { HOME: await tempDir() } });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain("To update ikigai: ikigai upgrade.");
});

test.each(["upgrade", "uninstall"])("%s is in the help, in the completion and explained", async (word) => {
  expect((await ikigai(["--help"])).stdout).toMatch(new RegExp(`\n  ${word} +print the command that `));
  expect((await ikigai(["__complete", word.slice(0, 4)])).stdout).toContain(`${word}\tprint the command that `);
  expect((await ikigai([word, "--help"])).stdout).toMatch(new RegExp(`^ikigai ${word}\n\nPrint the command that `));
});

test.each([["upgrade"], ["uninstall", "--yes"]])("%s is a command", (...argv) => {
  expect(parseArgv(argv)).toMatchObject({ kind: "command", name: argv[0] });
});
