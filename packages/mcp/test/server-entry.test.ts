import { statSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { serverEnvironment } from "../src/bridge/server-place.ts";
import { readSecrets, writeSecrets } from "../src/server/secrets-file.ts";
import {
  expandEntry,
  hideSecrets,
  readServerEntry,
  type ServerEntry,
  variablesOf,
} from "../src/server/server-entry.ts";

function entryOf(value: Parameters<typeof readServerEntry>[0]): ServerEntry {
  const entry = readServerEntry(value);
  if ("problem" in entry) throw new Error(entry.problem);
  return entry;
}

describe("an entry", () => {
  test("of a program has its arguments, variables and directory, and nothing else", () => {
    expect(entryOf({ command: "npx", args: ["-y", "x"], env: { N: 1, B: true }, cwd: "/w", timeout: 3 })).toEqual({
      command: "npx",
      args: ["-y", "x"],
      env: { N: "1", B: "true" },
      cwd: "/w",
    });
  });

  test("of an address has its headers", () => {
    expect(entryOf({ url: "https://x.dev/mcp" })).toEqual({ type: "http", url: "https://x.dev/mcp", headers: {} });
    expect(entryOf({ type: "streamable-http", url: "https://x.dev" })).toMatchObject({ type: "http" });
    expect(entryOf({ type: "sse", url: "https://x.dev", headers: { "X-Key": "k" } })).toMatchObject({ type: "sse" });
  });

  test.each([
    [[]],
    [{}],
    [{ command: "" }],
    [{ command: "x\0" }],
    [{ command: "x", args: "-y" }],
    [{ command: "x", args: [1] }],
    [{ command: "x", env: { "A B": "c" } }],
    [{ command: "x", env: { A: null } }],
    [{ command: "x", cwd: "relative" }],
    [{ type: "ws", url: "ws://x" }],
    [{ url: "file:///etc/passwd" }],
    [{ url: "https://x", headers: { "A:B": "c" } }],
    [{ command: "x", env: { A: `\${secret:env.B}` } }],
  ])("may not be %j", (value) => {
    expect(readServerEntry(value)).toHaveProperty("problem");
  });
});

describe("secrets", () => {
  test("of a program are its literal variables; references stay", () => {
    const { entry, secrets } = hideSecrets(
      entryOf({ command: "x", args: ["--key=k"], env: { A: "k1", B: `\${B}`, C: `p\${B}`, D: `\${E:-k2}` } }),
    );
    expect(entry).toMatchObject({
      args: ["--key=k"],
      env: { A: `\${secret:env.A}`, B: `\${B}`, C: `\${secret:env.C}`, D: `\${secret:env.D}` },
    });
    expect(secrets).toEqual({ "env.A": "k1", "env.C": `p\${B}`, "env.D": `\${E:-k2}` });
  });

  test("of an address are literal headers, and an address with a query or a user", () => {
    const headers = { Authorization: `Bearer \${TOKEN}`, "X-Key": "k" };
    const plain = hideSecrets(entryOf({ url: "https://x.dev/mcp", headers }));
    expect(plain.entry).toMatchObject({
      url: "https://x.dev/mcp",
      headers: { ...headers, "X-Key": `\${secret:headers.X-Key}` },
    });
    for (const url of ["https://x.dev/mcp?key=k", "https://me:k@x.dev/mcp", "https://x.dev/mcp#k"])
      expect(hideSecrets(entryOf({ url }))).toEqual({
        entry: { type: "http", url: `\${secret:url}`, headers: {} },
        secrets: { url },
      });
  });

  test("are filled in again, with the variables in them", () => {
    const given = entryOf({ command: "x", env: { A: "k1", B: `\${B}`, C: `p\${B}`, D: `\${E:-k2}`, E: "" } });
    const { entry, secrets } = hideSecrets(given);
    expect(expandEntry(entry, secrets, { B: "b" })).toEqual({
      entry: { command: "x", args: [], env: { A: "k1", B: "b", C: "pb", D: "k2", E: "" } },
      missing: [],
    });
    expect(variablesOf(entry, secrets)).toEqual(["B", "E"]);
  });

  test("are in a file that only the user can read, and gone with the last of them", async () => {
    const dataDir = join(await tempDir(), ".ikigai", "data", "mcp-x");
    expect(readSecrets(dataDir)).toEqual({});
    writeSecrets(dataDir, { "env.A": "k" });
    expect(readSecrets(dataDir)).toEqual({ "env.A": "k" });
    expect(statSync(join(dataDir, "secrets.json")).mode & 0o777).toBe(0o600);
    writeSecrets(dataDir, {});
    expect(readSecrets(dataDir)).toEqual({});
  });
});

test("a variable that is not set and has no default is missing, once", () => {
  const entry = entryOf({ command: "x", args: [`\${ARG}`], env: { A: `\${T}`, B: `\${T}\${U:-u}`, C: `\${V}` } });
  const { missing, entry: now } = expandEntry(entry, {}, { V: "" });
  expect(missing).toEqual(["T", "V"]);
  expect(now).toMatchObject({ args: [`\${ARG}`] });
});

test("of an entry whose values are literal, nothing is filled in but its secrets", () => {
  const given = entryOf({ command: "x", env: { A: `\${T}`, B: `p\${T}`, C: `\${T:-k}` } });
  const { entry, secrets } = hideSecrets(given);
  expect(expandEntry(entry, secrets, { T: "t" }, { isLiteral: true })).toEqual({ entry: given, missing: [] });
});

test("a server gets the listed environment, what its entry names, and nothing else", () => {
  const listed = {
    HOME: "/h",
    LOGNAME: "l",
    PATH: "/bin",
    SHELL: "/bin/sh",
    TERM: "t",
    USER: "u",
    LANG: "C",
    LC_ALL: "C",
    TZ: "UTC",
    TMPDIR: "/t",
    HTTPS_PROXY: "http://p",
    no_proxy: "x",
    NODE_EXTRA_CA_CERTS: "/c",
    SSL_CERT_FILE: "/s",
    SSL_CERT_DIR: "/d",
    IKIGAI_HOST_ID: "1",
    IKIGAI_SERVICE_ID: "2",
  };
  const others = {
    ANTHROPIC_API_KEY: "k",
    GITHUB_TOKEN: "k",
    NODE_OPTIONS: "--require x",
    LD_PRELOAD: "x",
    BASH_ENV: "x",
    PWD: "/p",
    IKIGAI_DATA_DIR: "/d",
    IKIGAI_SERVE: "1",
    LC_: "x",
    SSL_KEYLOG: "x",
    USERNAME: "() { :; }",
  };
  expect(serverEnvironment({ ...listed, ...others, USER: "() { x; }" }, { A: "b" })).toEqual({
    ...Object.fromEntries(Object.entries(listed).filter(([name]) => name !== "USER")),
    A: "b",
  });
});
