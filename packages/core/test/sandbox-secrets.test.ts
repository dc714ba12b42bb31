// Promises 2 and 7 of SECURITY.md.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { variablesInside } from "@ikigai/sandbox";
import { isSecretVariable } from "@ikigai/system";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pointedPlaces, secretPlaces } from "../../sandbox/src/visible.ts";
import { hasBubblewrap, sandboxStage } from "./sandbox-stage.ts";
import { schema, tool } from "./world.ts";

const secrets = {
  GITHUB_TOKEN: "a",
  AWS_SECRET_ACCESS_KEY: "b",
  AWS_ACCESS_KEY_ID: "c",
  DATABASE_URL: "d",
  OPENROUTER_API_KEY: "e",
  ANTHROPIC_CUSTOM_HEADERS: "f",
  SENTRY_DSN: "g",
  PGPASSWORD: "h",
  MYSQL_PWD: "i",
  "npm_config_//registry.npmjs.org/:_authToken": "j",
  NPM_CONFIG__AUTH: "k",
  GOOGLE_CREDENTIALS: "l",
  SLACK_WEBHOOK_URL: "m",
  MIRROR: "https://me:word@mirror.example/x",
  SECRET_KEY_BASE: "n",
  RAILS_MASTER_KEY: "o",
  stripe_secret: "p",
  AZURE_STORAGE_CONNECTION_STRING: "q",
};

const ordinary = {
  PATH: "/usr/bin",
  HOME: "/home/me",
  PWD: "/",
  OLDPWD: "/",
  LANG: "C",
  TERM: "xterm",
  NODE_OPTIONS: "--max-old-space-size=4096",
  NODE_ENV: "test",
  npm_config_cache: "/cache",
  npm_package_name: "x",
  MAX_OUTPUT_TOKENS: "100",
  TOKENIZERS_PARALLELISM: "false",
  SSH_ASKPASS: "/usr/bin/askpass",
  GIT_ASKPASS: "x",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
  KEYTIMEOUT: "1",
  COLORFGBG: "15;0",
  HTTPS_PROXY: "http://me:word@proxy:3128",
  XDG_SESSION_ID: "1",
  HOMEPAGE: "https://example.com/a:b@c",
};

test("recognizes a secret by its name or by a password in its URL, and no ordinary variables", () => {
  const all: Record<string, string> = { ...secrets, ...ordinary };
  expect(Object.keys(all).filter((name) => isSecretVariable(name, all[name]))).toEqual(Object.keys(secrets));
});

test("passes on what programs need, and what is granted by name or beginning", () => {
  const inside = (granted: readonly string[], env: Record<string, string> = { ...secrets, ...ordinary }) => {
    const { IKIGAI_SANDBOX, TMPDIR, ...rest } = variablesInside(env, granted, "/tmp/own");
    return Object.keys(rest).sort();
  };
  const needed = "COLORFGBG HOME HTTPS_PROXY LANG NODE_ENV NODE_OPTIONS OLDPWD PATH PWD TERM npm_config_cache".split(
    " ",
  );
  expect(inside([])).toEqual(needed);
  const { AWS_SECRET_ACCESS_KEY, AWS_ACCESS_KEY_ID, DATABASE_URL } = secrets;
  const granted = Object.keys({ AWS_SECRET_ACCESS_KEY, AWS_ACCESS_KEY_ID, DATABASE_URL });
  expect(inside(["AWS_*", "DATABASE_URL", "GITHUB", "secret*"])).toEqual([...granted, ...needed].sort());
  // Secrets whose names no pattern knows.
  const unknown = "BW_SESSION OP_SESSION_my SSHPASS JWT PASS KEY DSN COOKIE FIREBASE_SERVICE_ACCOUNT KUBE_CONFIG NPMRC";
  const outside = "DISPLAY WAYLAND_DISPLAY TMUX DOCKER_HOST SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR";
  const listed = "NODE_AUTH_TOKEN CARGO_REGISTRY_TOKEN UV_PUBLISH_PASSWORD npm_config__auth npm_config_userconfig";
  const all = [unknown, outside, listed].flatMap((names) => names.split(" "));
  expect(inside([], Object.fromEntries(all.map((name) => [name, "x"])))).toEqual([]);
  expect(
    inside([], { PIP_EXTRA_INDEX_URL: "https://a/simple https://me:word@b/simple", GOPROXY: "https://a,direct" }),
  ).toEqual(["GOPROXY"]);
});

test("treats a name that ends like a secret as one, whatever its prefix", () => {
  const endings = ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_CREDENTIALS", "_DSN", "_API_KEY", "DATABASE_URL"];
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...endings), fc.boolean(), (start, end, isLower) => {
      const name = `${start}${isLower ? end.toLowerCase() : end}`.replaceAll("\0", "").replaceAll("=", "");
      return isSecretVariable(name) && !(name in variablesInside({ [name]: "x" }, [], ""));
    }),
  );
});

describe.skipIf(!hasBubblewrap)("in the sandbox (needs bwrap) a tool", () => {
  test.concurrent("gets only variables that programs need, unless others are granted", async () => {
    const { run, sandbox } = await sandboxStage();
    const list = (granted?: readonly string[]) => {
      const script = `env | grep -E '^(${["GITHUB_TOKEN", "DATABASE_URL", "NODE_ENV", "KUBECONFIG"].join("|")})='`;
      const env = { PATH: process.env.PATH, ...secrets, NODE_ENV: "test", KUBECONFIG: "/k", SCRIPT: script };
      return run(script, { env, sandbox: { ...sandbox, network: true, ...(granted && { env: granted }) } });
    };
    expect((await list()).output).toBe("NODE_ENV=test");
    expect((await list(["GITHUB_*", "KUBECONFIG"])).output.split("\n").sort()).toEqual([
      "GITHUB_TOKEN=a",
      "KUBECONFIG=/k",
      "NODE_ENV=test",
    ]);
  });

  test.concurrent("gets what its schema asks for", async () => {
    const said = schema("asks", { ikigai: { needs: { env: ["BRAVE_API_KEY"] } } });
    const body = `cat > /dev/null; printf '{"code":0,"output":"%s"}' "$(printf %s "$BRAVE_API_KEY,$OTHER_API_KEY" | base64)"`;
    const env = { PATH: process.env.PATH, BRAVE_API_KEY: "brave", OTHER_API_KEY: "other" };
    const system = await sandboxStage({ "system/try-tool": tool(said.replace('"asks"', '"try"'), body) });
    expect((await system.run("", { env })).output).toBe("brave,");
  });

  test.concurrent("sees none of the usual places of secrets", async () => {
    const { run, root } = await sandboxStage();
    for (const path of secretPlaces) {
      const file = join(root, "person", path, ...(/\.\w+$|rc$|token$|_history$/.test(path) ? [] : ["x"]));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "sk-secret");
    }
    expect((await run("grep -rs sk-secret ../person")).output).toBe("");
  });

  test.concurrent("sees only toolchains, programs and git's configuration in the home directory", async () => {
    const program = (name: string) => ({
      content: `#!/bin/sh\ncat "$(dirname "$0")/../lib/${name}" || echo ran\n`,
      mode: 0o755,
    });
    const { run, root, sandbox } = await sandboxStage({
      "person/notes": "sk-secret",
      "person/.config/unknown/token": "sk-secret",
      "person/.env": "sk-secret",
      "person/tools/secret": "sk-secret",
      "person/.cargo/credentials.toml": "sk-secret",
      "person/.cargo/config.toml": "cargo",
      "person/.config/git/config": "",
      "person/tools/bin/one": program("part"),
      "person/tools/lib/part": "part",
      "person/src/two": program("none"),
      "person/bin/": "",
      "person/repo/.git/HEAD": "",
      "person/repo/README": "around",
      "person/repo/package/own": "own",
      "person/more/file": "granted",
    });
    const person = join(root, "person");
    symlinkSync(join(person, "src/two"), join(person, "bin/two"));
    const env = { ...process.env, HOME: person, PATH: `${person}/bin:${person}/tools/bin:${process.env.PATH}` };
    const projectDir = join(person, "repo/package");
    const inHome = (script: string, different = {}) =>
      run(script, { env: { ...env, SCRIPT: script }, cwd: projectDir, projectDir, ...different });
    expect((await inHome("grep -rs sk-secret ~; ls -A ~/.config; cat ~/.cargo/config.toml")).output).toBe("git\ncargo");
    expect((await inHome("one; two 2> /dev/null; cat own ../README")).output).toBe("partran\nownaround");
    expect((await inHome("cat ~/more/file")).output).toContain("No such file");
    const readable = [join(person, "more")];
    expect((await inHome("cat ~/more/file", { sandbox: { ...sandbox, readable } })).output).toBe("granted");
  });

  test.concurrent("sees nothing that the environment points to, unless it is granted", async () => {
    const { run, root, sandbox } = await sandboxStage({
      "cloud/kube": "sk-secret",
      "cloud/other": "sk-secret",
      "cloud/aws": "sk-secret",
      "cloud/gnupg/key": "sk-secret",
      "cloud/config/gh/hosts.yml": "sk-secret",
      "cloud/cargo/credentials.toml": "sk-secret",
      "cloud/cargo/config.toml": "public",
      "cloud/word": "sk-secret",
      "project/key.json": "sk-secret",
    });
    const at = (name: string) => join(root, "cloud", name);
    const env = {
      ...process.env,
      KUBECONFIG: `${at("kube")}:${at("other")}`,
      AWS_SHARED_CREDENTIALS_FILE: at("aws"),
      GNUPGHOME: at("gnupg"),
      XDG_CONFIG_HOME: at("config"),
      CARGO_HOME: at("cargo"),
      POSTGRES_PASSWORD_FILE: at("word"),
      GOOGLE_APPLICATION_CREDENTIALS: "key.json",
    };
    const script = "grep -rsl sk-secret ../cloud . | sort; cat ../cloud/cargo/config.toml";
    expect((await run(script, { env: { ...env, SCRIPT: script } })).output).toBe("public");
    const granted = { ...sandbox, env: ["KUBECONFIG"] };
    expect((await run(script, { env: { ...env, SCRIPT: script }, sandbox: granted })).output).toBe(
      "../cloud/kube\n../cloud/other\npublic",
    );
  });

  test.concurrent("works if the environment points to what it needs", async () => {
    const { run, root, projectDir } = await sandboxStage();
    const env = {
      ...process.env,
      NPM_CONFIG_USERCONFIG: "/dev/null",
      KUBECONFIG: projectDir,
      GNUPGHOME: join(root, "person"),
      CODEX_HOME: "/",
      SCRIPT: "echo x > /dev/null && touch made && echo fine",
    };
    expect((await run("", { env })).output).toBe("fine");
  });
});

test.each(Object.getOwnPropertyNames(Object.prototype))("a variable named %s points nowhere", (name) => {
  const environment = Object.fromEntries([[name, "/srv/data"]]);
  expect(pointedPlaces({ environment, cwd: "/" }, [])).toEqual({ secret: [], granted: [] });
});
