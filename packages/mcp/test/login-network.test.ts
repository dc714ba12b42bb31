// Promise 10 of SECURITY.md.
// @module-tag tables
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { beforeAll, expect, test } from "vitest";
import { bridge } from "./server-package.ts";

const isHere = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: "ignore" }).status === 0;

/** Options of unshare: a network and mounts of its own, whose processes end together. */
const ownNetwork = ["--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];

/** What the network needs, and this machine lacks. */
const missing = [
  ...(isHere("unshare", ...ownNetwork, "true") ? [] : ["unshare"]),
  ...(isHere("ip", "-V") ? [] : ["ip"]),
  ...(isHere("openssl", "version") ? [] : ["openssl"]),
];
const without = missing.length > 0 ? ` (no ${missing.join(", ")})` : "";
const inNetwork = test.runIf(missing.length === 0);

let results: Record<string, { readonly reached: readonly string[]; readonly end: string }> = {};

beforeAll(async () => {
  if (missing.length > 0) return;
  const script = join(import.meta.dirname, "fixtures/login-network.mjs");
  const words = [...ownNetwork, process.execPath, script, bridge, await tempDir()];
  results = JSON.parse(execFileSync("unshare", words, { encoding: "utf8", timeout: 100_000 }));
}, 110_000);

const refused = { reached: [], end: expect.stringMatching(/^The login leads to .*, an address inside your network\./) };

inNetwork(`a login registers at a server on the internet${without}`, () => {
  expect(results.elsewhere).toEqual({ reached: ["POST 93.184.216.34"], end: "opened" });
});

inNetwork.each(["alsoHere", "alsoHereLast", "alsoPrivate"])(
  `a server on the internet is not near because its DNS says so, too: %s${without}`,
  (name) => {
    expect(results[name]).toEqual(refused);
  },
);

inNetwork.each(["ownAddress", "ownName", "neighbour", "unlisted"])(
  `the global addresses of this computer and of its IPv6 network are inside: %s${without}`,
  (name) => {
    expect(results[name]).toEqual(refused);
  },
);

inNetwork.each(["intranet", "printer", "metadata"])(
  `a proxy is not asked for a name of a private network: %s${without}`,
  (name) => {
    expect(results[name]).toEqual(refused);
  },
);

inNetwork(`a login works through a proxy${without}`, () => {
  expect(results.proxied).toEqual({ reached: ["POST 93.184.216.34"], end: "opened" });
});

inNetwork(`a server in a private network may name others there, but not this computer${without}`, () => {
  expect(results.within).toEqual({ reached: ["POST 10.1.2.3"], end: "opened" });
  expect(results.withinHere).toEqual(refused);
});
