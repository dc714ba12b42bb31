// Promise 3 of SECURITY.md.
// @module-tag sampled
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { beforeAll, expect, test } from "vitest";
import { hasOpenssl, makeCertificates } from "./certificates.ts";
import { bin } from "./site.ts";

const isHere = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: "ignore" }).status === 0;

/** Options of unshare: a network and mounts of its own, whose processes end together. */
const ownNetwork = ["--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];

/** What the network needs, and this machine lacks. */
const missing = [
  ...(isHere("unshare", ...ownNetwork, "true") ? [] : ["unshare"]),
  ...(isHere("ip", "-V") ? [] : ["ip"]),
  ...(isHere("dnsmasq", "--version") ? [] : ["dnsmasq"]),
  ...(hasOpenssl ? [] : ["openssl"]),
];
const hasTinyproxy = isHere("tinyproxy", "-v");
const without = missing.length > 0 ? ` (no ${missing.join(", ")})` : "";
const inNetwork = test.runIf(missing.length === 0);
const throughProxy = test.runIf(missing.length === 0 && hasTinyproxy);

let results: Record<string, unknown> = {};

beforeAll(async () => {
  if (missing.length > 0) return;
  const dir = await tempDir();
  const { authority, key, cert } = await makeCertificates("public.example");
  writeFileSync(join(dir, "key.pem"), key);
  writeFileSync(join(dir, "cert.pem"), cert);
  execFileSync("cp", [authority, join(dir, "ca.pem")]);
  const script = join(import.meta.dirname, "fixtures/network.mjs");
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: "", HAS_TINYPROXY: hasTinyproxy ? "1" : "0" };
  const options = { env, encoding: "utf8", timeout: 100_000 } as const;
  results = JSON.parse(execFileSync("unshare", [...ownNetwork, process.execPath, script, bin, dir], options));
}, 110_000);

inNetwork(`fetches a host on the internet, whose name it resolves once${without}`, () => {
  expect([results.public, results.queries]).toEqual(["public ", 1]);
});

inNetwork(`blocks a name with a private address${without}`, () => {
  expect(results.inside).toEqual(["BLOCKED_ADDRESS", expect.stringContaining("10.1.2.3")]);
});

inNetwork(
  `blocks a cloud's own server, and the global addresses of this computer and its IPv6 network${without}`,
  () => {
    const addresses = ["168.63.129.16", "93.184.216.35", "2a02:8109:1234::5", "2a02:8109:1234::6", "93.184.216.36"];
    expect(results.special).toEqual(addresses.map((address) => [address, "BLOCKED_ADDRESS", "special"]));
    expect(results.translated).toBe("BLOCKED_ADDRESS");
  },
);

inNetwork(`uses the other addresses of a name that has a blocked one${without}`, () => {
  expect(results.mixed).toEqual(["public ", "public ", "public ", "public "]);
});

inNetwork(`says that a name does not exist${without}`, () => {
  expect(results.nothing).toEqual(["DNS_FAILED", expect.stringContaining("nothing.test")]);
});

inNetwork(`opens what the user names, but not for a redirect from outside${without}`, () => {
  expect(results).toMatchObject({
    opened: "inside",
    openedByName: "inside",
    redirectInside: ["BLOCKED_ADDRESS", expect.any(String)],
    redirectInsideByName: ["BLOCKED_ADDRESS", expect.any(String)],
    redirectWithin: "inside",
  });
});

inNetwork(`blocks a name whose address changes between two requests${without}`, () => {
  expect(results.rebinding).toEqual(["BLOCKED_ADDRESS", expect.stringContaining("10.1.2.3")]);
  // Once for each request: what was checked is what was connected to.
  expect([results.rebindingQueries, results.rebindingReached]).toEqual([2, 0]);
});

throughProxy(`fetches through tinyproxy, by a tunnel for https${hasTinyproxy ? without : " (no tinyproxy)"}`, () => {
  expect(results).toMatchObject({
    proxied: "public by proxy",
    tunnelled: "public ",
    tunnelLog: true,
    tunnelUnverified: ["TLS_FAILED", expect.any(String)],
    tunnelRefused: ["CONNECT_FAILED", expect.stringContaining("403")],
    literalProxied: ["BLOCKED_ADDRESS", expect.any(String)],
    direct: "public ",
  });
});
