// @module-tag sampled
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { checkTool, tempDir } from "@ikigai/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { isOnPath } from "./is-on-path.ts";

/** Stands in for a program that lists tasks: prints what the real one printed, or its arguments, one in each pair of brackets. */
function standIn(fixture: string): { readonly content: string; readonly mode: number } {
  const path = join(import.meta.dirname, "fixtures", fixture);
  const lists = `case "$*" in *--dump* | "tasks --json") exec cat ${path} ;; esac\n`;
  return { content: `#!/bin/sh\n${lists}for one in "$@"; do printf '[%s]' "$one"; done\n`, mode: 0o755 };
}

const justfile = `# Build the app
build target="debug" region="eu west" *flags:
    @echo build {{target}} {{region}} {{flags}}

# Deploy it
[arg("dry", long, value="yes")]
deploy env dry="no" *rest:
    @echo deploy {{env}} {{dry}} {{rest}}
`;

/** @param programs those on the PATH: a tool does not get those of its project. */
async function stage(files: Parameters<typeof tempDir>[0], programs: Parameters<typeof tempDir>[0] = {}) {
  const home = await tempDir();
  const cwd = await tempDir(files);
  const env = { HOME: home, PATH: `${await tempDir(programs)}:${process.env.PATH}` };
  const run = (...words: string[]) => ikigai(words, { cwd, env });
  const wrap = (source: string, ...options: string[]) => run("tool", "wrap", source, "--yes", ...options);
  const call = async (name: string, args: object, more: NodeJS.ProcessEnv = {}) => {
    const { stdout, stderr } = await ikigai(["tool", "call", name, JSON.stringify(args)], {
      cwd,
      env: { ...env, ...more },
    });
    return stdout === "" ? stderr : JSON.parse(stdout).result;
  };
  const text = (file: string) => readFileSync(join(home, ".ikigai/tools", file), "utf8");
  const check = async (file: string) =>
    (await checkTool(join(home, ".ikigai/tools", file))).results.filter(({ status }) => status === "failed");
  return { cwd, run, wrap, call, text, check };
}

describe("the recipes of a justfile", () => {
  test("from what just prints", async () => {
    const { wrap, call, text } = await stage({ justfile: "" }, { just: standIn("just-dump.json") });
    const { stderr } = await wrap("justfile", "--name", "app");
    expect(stderr).toContain("this is run in their directory: just --justfile justfile --dump --dump-format json");
    expect(text("app-tool")).toMatch(
      /# @cmd build Build the app\n# @arg target=debug target\n# @arg region="eu west" region\n# @arg flags\* flags\n# @cmd deploy Deploy it\n# @arg env! env\n# @flag --dry dry\n# @arg rest\* rest\ncase \$1 in deploy\) set -- -- "\$@" ;; esac\n/,
    );
    const start = "[--justfile][justfile]";
    // What comes before a given argument is given, too.
    expect(await call("app_build", { flags: ["-x"] })).toEqual({ output: `${start}[build][--][debug][eu west][-x]` });
    expect(await call("app_deploy", { env: "a b", dry: true, rest: ["-r"] })).toEqual({
      output: `${start}[--][deploy][--dry][--][a b][-r]`,
    });
  });

  test("are not asked for without a yes", async () => {
    const { run } = await stage({ justfile: "" }, { just: standIn("just-dump.json") });
    expect(await run("tool", "wrap", "justfile")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("pass --yes to confirm"),
      stdout: "",
    });
  });

  test("a program that is missing, or that prints something else", async () => {
    const broken = { content: "#!/bin/sh\necho no\n", mode: 0o755 };
    const { wrap } = await stage({ "mise.toml": "", justfile: "" }, { just: broken });
    expect((await wrap("justfile")).stderr).toContain("just printed no list of tasks");
    if (!isOnPath("mise")) expect((await wrap("mise.toml")).stderr).toContain("mise is not installed");
  });

  test.skipIf(!isOnPath("just"))("with the real program", async () => {
    const { wrap, call } = await stage({ justfile });
    expect((await wrap("justfile", "--name", "app")).exitCode).toBe(0);
    expect(await call("app_build", { flags: ["-x", "y z"] })).toEqual({ output: "build debug eu west -x y z" });
    expect(await call("app_deploy", { env: "prod", dry: true, rest: ["-r"] })).toEqual({
      output: "deploy prod yes -r",
    });
  });
});

test("the tasks of mise", async () => {
  const { wrap, call, text } = await stage({ "mise.toml": "" }, { mise: standIn("mise-tasks.json") });
  expect((await wrap("mise.toml", "--name", "web")).exitCode).toBe(0);
  expect(text("web-tool")).toMatch(
    /# @cmd db:migrate Migrate\n# @flag --force Even so\n# @option --to=latest Up to\n# @arg name! Which one\n# @cmd lint Check the code\n# @arg arguments\* Arguments of the task\ncd /,
  );
  expect(await call("web_db_migrate", { name: "-x", force: true })).toEqual({
    output: "[run][--quiet][db:migrate][--force][--to][latest][--][-x]",
  });
  const only = await stage({ "mise.toml": "" }, { mise: standIn("mise-tasks.json") });
  await only.wrap("mise.toml", "--name", "web", "--only", "db*");
  expect(only.text("web-tool")).not.toContain("lint");
  expect((await only.wrap("mise.toml", "--name", "web2", "--only", "x")).stderr).toContain(
    "There is no x. There are db:migrate, lint.",
  );
});

test("a usage spec, with commands below commands", async () => {
  const spec = `// What it is
bin "mycli"
about #"A "cli" of mine"#
flag "-v --verbose" help="Say more" global=#true count=#true
/- flag "--gone"
cmd "config" {
  cmd "set" help="Set a value" {
    arg "<key>"; arg "[value]…" default="" \\
      help="What to set \\"it\\" to"
    flag "--scope <scope>" { choices "user" "project" }
  }
}
cmd list help="""
  List
  all
  """
`;
  const show = { content: `#!/bin/sh\nfor one in "$@"; do printf '[%s]' "$one"; done\n`, mode: 0o755 };
  const { wrap, call, text } = await stage({ "mycli.usage.kdl": spec, "bad.usage.kdl": "bin {{" }, { mycli: show });
  expect((await wrap("mycli.usage.kdl")).exitCode).toBe(0);
  expect(text("mycli-tool").split("\n").slice(1, 8)).toEqual([
    "# @cmd config_set Set a value",
    "# @option --scope[user|project] The option --scope",
    "# @flag --verbose* Say more",
    "# @arg key! key",
    '# @arg value* What to set "it" to',
    "# @cmd list List all",
    "# @flag --verbose* Say more",
  ]);
  expect(await call("mycli_config_set", { key: "a", value: ["b", "-c"], scope: "user", verbose: 2 })).toEqual({
    output: "[config][set][--scope][user][--verbose][--verbose][--][a][b][-c]",
  });
  expect((await wrap("bad.usage.kdl")).stderr).toContain(
    "bad.usage.kdl is not KDL: line 1: expected a name or a value.",
  );
});

test("a script with the comments of usage", async () => {
  const script = `#!/usr/bin/env bash\n#USAGE flag "-f --force" help="Even so"\n#USAGE arg "<file>" help="Which"\nfor one in "$@"; do printf '[%s]' "$one"; done\n`;
  const { wrap, call } = await stage({ "go.sh": { content: script, mode: 0o755 } });
  expect((await wrap("go.sh")).exitCode).toBe(0);
  expect(await call("go", { file: "a b", force: true })).toEqual({ output: "[--force][--][a b]" });
});

const pets = readFileSync(join(import.meta.dirname, "fixtures/pets.yaml"), "utf8");

/** A server that answers with what it was sent. */
async function echo(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url = "", headers } = request;
      if (url.includes("gone")) response.writeHead(302, { location: "http://elsewhere.example/" });
      const given = ["x-api-key", "authorization", "x-request-id", "cookie", "content-type"].map((name) => [
        name,
        headers[name],
      ]);
      const body = Buffer.concat(chunks).toString();
      response.end(JSON.stringify({ method, url, headers: Object.fromEntries(given.filter(([, one]) => one)), body }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
}

describe("an OpenAPI document", () => {
  test("each operation is a tool whose requests are exact", async () => {
    const { wrap, call, text, check, cwd } = await stage({ "pets.yaml": pets, "photo.txt": "pixels" });
    const { exitCode, stderr } = await wrap("pets.yaml", "--server", await echo());
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: "In the sandbox, 127.0.0.1 needs a rule of yours: host(127.0.0.1).\n",
    });
    expect(await check("pets-tool")).toEqual([]);
    const file = text("pets-tool");
    expect(file).toContain("// @cmd listPets List pets\n// @option --limit <INT> How many at most\n");
    expect(file).toContain("// @meta readonly\n// @env PETS_KEY! The key or token\n");
    expect(file).not.toContain("--id ");
    const PETS_KEY = "k1";
    const list = { limit: 3, tag: ["a b", "-c"], ids: [1, 2], filter: '{"kind":"cat"}' };
    expect(await call("pets_listPets", list, { PETS_KEY })).toEqual({
      method: "GET",
      url: "/v1/pets?limit=3&tag=a+b&tag=-c&ids=1%2C2&filter%5Bkind%5D=cat",
      headers: { "x-api-key": "k1" },
      body: "",
    });
    const added = { name: "Ada", kind: "cat", alive: "false", tags: ["x"], owner: '{"name":"B"}' };
    expect(await call("pets_post_pets", added, { PETS_KEY })).toMatchObject({
      headers: { "content-type": "application/json" },
      body: '{"name":"Ada","kind":"cat","alive":false,"tags":["x"],"owner":{"name":"B"}}',
    });
    expect(await call("pets_post_pets", { kind: "cat" }, { PETS_KEY })).toEqual({
      error: "name: is required",
      error_code: "INVALID_PARAMS",
    });
    expect(await call("pets_post_pets", { name: "Ada" })).toMatchObject({ error_code: "MISSING_CREDENTIALS" });
    const removed = { petId: "a/b ?", X_Request_Id: "r", session: "s;1" };
    expect(await call("pets_removePet", removed, { PETS_BASIC: "u:p" })).toMatchObject({
      method: "DELETE",
      url: "/v1/pets/a%2Fb%20%3F",
      headers: { authorization: `Basic ${btoa("u:p")}`, "x-request-id": "r", cookie: "session=s%3B1" },
    });
    const photo = await call("pets_photo", { petId: "7", body_petId: "8", file: join(cwd, "photo.txt") });
    expect(photo).toMatchObject({
      method: "PUT",
      url: "/v1/pets/7",
      body: expect.stringMatching(/name="petId"\r\n\r\n8\r\n[\s\S]*filename="photo.txt"[\s\S]*pixels/),
    });
    expect(await call("pets_removePet", { petId: "gone" }, { PETS_BASIC: "u:p" })).toMatchObject({
      exit_code: 1,
      error: "HTTP 302 Found, it is at http://elsewhere.example/",
    });
  });

  test("only some of its operations, from JSON", async () => {
    const document = {
      openapi: "3.1.0",
      servers: [{ url: "https://api.example.com" }],
      paths: { "/a": { get: {} }, "/b": { get: {} } },
    };
    const { wrap, text } = await stage({ "api.json": JSON.stringify(document) });
    expect((await wrap("api.json", "--only", "get_a")).exitCode).toBe(0);
    expect(text("api-tool")).toContain("// @meta readonly\n// @meta host api.example.com\n");
    expect(text("api-tool")).toContain(
      'const operations = {\n  "get_a": {"method":"GET","url":"https://api.example.com/a","options":{}},\n};',
    );
  });

  test.each([
    [{ paths: {} }, "has no tasks to wrap"],
    [{}, 'has no "paths"'],
    [{ paths: { "/a": { get: {} } } }, "names no server. Say which: --server https://HOST"],
    [{ paths: { "/a": { $ref: "#/x" } } }, '"$ref": "#/x" leads nowhere'],
    [{ paths: { "/a": { $ref: "other.yaml" } } }, "Bundle the document into one file first"],
  ])("refuses %j", async (document, problem) => {
    const { wrap } = await stage({ "api.json": JSON.stringify({ openapi: "3.0.0", ...document }) });
    expect(await wrap("api.json")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(problem) });
  });
});
