// Promise 1 of SECURITY.md.
import { describe, expect, test } from "vitest";
import { readServerConfig } from "../src/server/read-server-config.ts";

const places = { directory: "/w/app", projectDir: "/w/app" };

function serversOf(config: unknown, at = places) {
  const read = readServerConfig(typeof config === "string" ? config : JSON.stringify(config), at);
  if ("problem" in read) throw new Error(read.problem);
  return read.servers;
}

function faultOf(text: string) {
  const read = readServerConfig(text, places);
  return "problem" in read ? read : undefined;
}

/** What is wrong with the only server of a file. */
function problemOf(value: unknown): string {
  const [server] = serversOf({ mcpServers: { s: value } });
  return server && "problem" in server ? server.problem : "none";
}

const npx = { command: "npx", args: ["-y", "x"] };
const entry = { ...npx, env: {} };

describe("a configuration file", () => {
  test("of Claude Code and Cursor has mcpServers", () => {
    const config = { mcpServers: { x: { ...npx, disabled: false }, y: { url: "https://x.dev" } }, other: 1 };
    expect(serversOf(config)).toEqual([
      { name: "x", given: "x", isOfProject: false, entry },
      { name: "y", given: "y", isOfProject: false, entry: { type: "http", url: "https://x.dev/", headers: {} } },
    ]);
  });

  test("of Claude Code's user has those of the current project too, which come first", () => {
    const relative = { command: "./run" };
    const projects = { "/w/app": { mcpServers: { x: npx, z: relative } }, "/w": { mcpServers: { no: npx } } };
    const read = serversOf({ mcpServers: { x: { command: "old" }, y: npx }, projects }, { ...places, directory: "/u" });
    expect(read.map(({ name }) => name)).toEqual(["x", "y", "z"]);
    expect(read.map(({ isOfProject }) => isOfProject)).toEqual([true, false, true]);
    expect(read[0]).toMatchObject({ entry });
    expect(read[2]).toMatchObject({ entry: { command: "/w/app/run" } });
    expect(serversOf({ projects: { "/other": {} } })).toEqual([]);
  });

  test("of VS Code has servers, comments and trailing commas", () => {
    const text = '\ufeff// mine\n{ "servers": { "x": { "type": "stdio", "command": "npx", "args": ["-y", "x",], }, } }';
    expect(serversOf(text)).toMatchObject([{ name: "x", entry }]);
    expect(serversOf({ "editor.tabSize": 2, mcp: { servers: { x: npx } } })).toMatchObject([{ name: "x", entry }]);
  });

  test.each([
    ["{", { line: 1, column: 2 }],
    ['{\n  "mcpServers": {\n    "x" {}\n', { line: 3, column: 9 }],
    ['{"mcpServers": {}} s3cret', { line: 1, column: 20 }],
  ])("that is not JSON is refused with the place: %j", (text, place) => {
    expect(faultOf(text)).toEqual({ problem: expect.any(String), place });
    expect(faultOf(text)?.problem).not.toContain("s3cret");
  });

  test.each([
    ["", "Expected an object, got nothing."],
    ["[]", "Expected an object, got an array."],
    ["{}", 'It has neither "mcpServers" nor "servers", so it is not an MCP configuration file.'],
    ['{"mcpServers": []}', 'Expected "mcpServers" to be an object, got an array.'],
    ['{"projects": {"/w/app": {"mcpServers": 1}}}', "to be an object, got a number."],
    [`{"mcpServers": ${"[".repeat(100_000)}`, "nested too deeply"],
  ])("%# without servers is refused", (text, why) => {
    expect(faultOf(text)?.problem).toContain(why);
  });

  test("may have comments up to 1 MiB", () => {
    const padded = (length: number, start: string) => `${start}"mcpServers": {}}`.padEnd(length);
    expect(serversOf(padded(1_048_576, "{ // mine\n"))).toEqual([]);
    expect(faultOf(padded(1_048_577, '{"é": 1,\n // mine\n'))?.place).toEqual({ line: 2, column: 2 });
    expect(serversOf(padded(5_000_000, "{"))).toEqual([]);
  });

  test("may have 100 servers", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}`, npx]));
    expect(serversOf({ mcpServers: many(100) })).toHaveLength(100);
    expect(faultOf(JSON.stringify({ mcpServers: many(101) }))?.problem).toBe(
      "It has 101 servers, at most 100 can be read.",
    );
  });
});

describe("a server's name", () => {
  test.each([
    ["GitHub", "github"],
    ["my_server.v2", "my-server-v2"],
    ["a--b", "a-b"],
    [" x ", "x"],
    ["1password", "mcp-1password"],
    ["__proto__", "proto"],
    ["server-sequential-thinking", "server-sequential-th"],
    ["abcdefghijklmnopqrs-tuv", "abcdefghijklmnopqrs"],
  ])("%j becomes %j", (given, name) => {
    expect(serversOf(`{"mcpServers": {${JSON.stringify(given)}: {"command": "npx"}}}`)).toMatchObject([
      { given, name, entry: {} },
    ]);
  });

  test("needs a letter or a digit, and is cut where it is shown", () => {
    expect(serversOf({ mcpServers: { 日本: npx } })).toEqual([
      { given: "日本", name: "日本", isOfProject: false, problem: "Its name has neither a letter nor a digit." },
    ]);
    expect(serversOf({ mcpServers: { ["x".repeat(1_000)]: npx } })[0]?.given).toHaveLength(61);
  });

  test("must not be that of another one", () => {
    const twins = serversOf({ mcpServers: { "a.b": npx, c: npx, "A-B": npx } });
    expect(twins).toMatchObject([
      { name: "a-b", problem: 'ikigai would call it a-b, like "A-B". Rename one.' },
      { name: "c", entry },
      { name: "a-b", problem: 'ikigai would call it a-b, like "a.b". Rename one.' },
    ]);
  });
});

describe("an entry of another program", () => {
  test("has its program where the file belongs, and the variables of editors as its own", () => {
    const env = { A: `\${env:TOKEN}`, B: `\${B:-x}` };
    expect(serversOf({ mcpServers: { s: { command: "bin/run", args: ["./x"], env } } })).toMatchObject([
      { entry: { command: "/w/app/bin/run", args: ["./x"], env: { A: `\${TOKEN}`, B: `\${B:-x}` } } },
    ]);
    const headers = { Authorization: `Bearer \${env:TOKEN}` };
    expect(serversOf({ servers: { s: { type: "http", url: `https://x/\${env:A}`, headers } } })).toMatchObject([
      { entry: { url: `https://x/\${A}`, headers: { Authorization: `Bearer \${TOKEN}` } } },
    ]);
  });

  test.each([
    [{}, 'Expected "command" or "url".'],
    [{ env: { A: "b" } }, 'Expected "command" or "url".'],
    [{ type: "http" }, 'Expected "url" to begin with http:// or https://.'],
    [{ type: "ws", url: "ws://x" }, 'Expected "type" to be stdio, http or sse, got "ws".'],
    [{ ...npx, cwd: "sub" }, 'Expected "cwd" to be an absolute path'],
    [{ ...npx, env: { KEY: `\${input:key}` } }, `\${input:key}, which ikigai does not fill in`],
    [{ ...npx, args: [`\${workspaceFolder}/x.js`] }, `\${workspaceFolder}, which ikigai does not fill in`],
    [{ ...npx, args: [`\${package}/x.js`] }, `\${package}, which ikigai does not fill in`],
    [{ ...npx, env: { KEY: `\${secret:env.KEY}` } }, "only ikigai may write"],
    [{ ...npx, args: ["--key", `\${KEY}`] }, `\${KEY} in its command line`],
    [{ command: `\${HOME}/x` }, `\${HOME} in its command line`],
    [{ ...npx, args: ["x".repeat(17_000)] }, "more than 16384 characters"],
    ["npx", "Expected an object."],
    [{ url: "https://bad.dev\\@good.dev/" }, "invalid or ambiguous"],
    [{ url: `https://\${X:-bad.dev/}@good.dev/` }, "invalid or ambiguous"],
    [{ url: "https://b\u0430d.dev/" }, "invalid or ambiguous"],
    [{ url: "https://bad.dev:port/" }, "invalid or ambiguous"],
  ])("%# that ikigai would run otherwise is a problem", (value, why) => {
    expect(problemOf(value)).toContain(why);
  });

  test("may be as long as a person can check, and no deeper than any real one", () => {
    const around = JSON.stringify({ command: "x", args: [""] }).length;
    expect(problemOf({ command: "x", args: ["y".repeat(16_384 - around)] })).toBe("none");
    expect(problemOf({ command: "x", args: ["y".repeat(16_385 - around)] })).toContain("more than 16384");
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    expect(serversOf(`{"mcpServers": {"s": {"command": "x", "more": ${deep}}}}`)).toMatchObject([
      { problem: "It is nested too deeply." },
    ]);
  });

  test("cannot change what other objects have", () => {
    const text = `{"__proto__": {"polluted": 1}, "mcpServers": {"__proto__": {"command": "x", "env": {"__proto__": "y"}},
      "constructor": {"prototype": {"polluted": 1}, "__proto__": {"command": "y"}},}, // comment\n}`;
    const servers = serversOf(text);
    expect(servers.map(({ name, ...rest }) => [name, "problem" in rest])).toEqual([
      ["proto", false],
      ["constructor", true],
    ]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
