// Promise 3 of SECURITY.md.
// @module-tag sampled
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { call } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, homeVariables, type Site, site, siteOf } from "./site.ts";

const directoryOf = ({ home }: Site) => join(home, ".cache/ikigai/web");

/** The only stored page. */
function stored(from: Site): string {
  const [name = "", ...others] = readdirSync(directoryOf(from));
  expect(others).toEqual([]);
  return join(directoryOf(from), name);
}

/** Changes what is stored. */
function change(path: string, edit: (entry: Record<string, unknown> & { page: Record<string, unknown> }) => unknown) {
  const entry = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify(edit(entry) ?? entry));
}

test("keeps a page in a private file, and does not request it again", async () => {
  const pages = await siteOf("text", "text/plain");
  expect((await pages.fetch({ url: "/a" })).result).not.toHaveProperty("cached");
  expect((await pages.fetch({ url: "/a#b" })).result).toMatchObject({ output: "text", cached: true });
  expect(pages.requests).toHaveLength(1);
  expect(stored(pages)).toMatch(/\/[0-9a-f]{64}\.json$/);
  expect(statSync(stored(pages)).mode & 0o777).toBe(0o600);
  expect(statSync(directoryOf(pages)).mode & 0o777).toBe(0o700);
});

test("uses XDG_CACHE_HOME if it is absolute", async () => {
  const pages = await siteOf("text", "text/plain");
  await pages.fetch({ url: "/" }, { env: { XDG_CACHE_HOME: join(pages.home, "elsewhere") } });
  expect(readdirSync(join(pages.home, "elsewhere/ikigai/web"))).toHaveLength(1);
  await pages.fetch({ url: "/" }, { env: { XDG_CACHE_HOME: "relative" } });
  expect(readdirSync(directoryOf(pages))).toHaveLength(1);
});

test("keeps a page for 15 minutes", async () => {
  const pages = await siteOf("text", "text/plain");
  await pages.fetch({ url: "/" });
  const isCached = async (ageMs: number) => {
    change(stored(pages), (entry) => void Object.assign(entry, { storedAtMs: Date.now() - ageMs }));
    return (await pages.fetch({ url: "/" })).result?.cached === true;
  };
  expect(await isCached(14 * 60_000 + 30_000)).toBe(true);
  expect(await isCached(15 * 60_000)).toBe(false);
  // A clock that was set back.
  expect(await isCached(-60_000)).toBe(false);
});

test("deletes pages that are older than 15 minutes with the next call, also if that fails", async () => {
  const pages = await siteOf("text", "text/plain");
  await pages.fetch({ url: "/" });
  const ages = async (ageMs: number) => {
    const atS = (Date.now() - ageMs) / 1_000;
    utimesSync(stored(pages), atS, atS);
    const { result } = await pages.fetch({ url: "/other" }, { env: { IKIGAI_WEB_ALLOW: "" } });
    expect(result?.error_code).toBe("BLOCKED_ADDRESS");
    return readdirSync(directoryOf(pages)).length;
  };
  expect([await ages(14 * 60_000), await ages(15 * 60_000 + 1_000)]).toEqual([1, 0]);
});

test.each([
  ["no-store", { "cache-control": "no-store" }, 200],
  ["no-store among others", { "cache-control": "private, No-Store, max-age=0" }, 200],
  ["a status other than 200", {}, 203],
  ["an error", {}, 404],
])("does not keep a response with %s", async (_, headers, status) => {
  const pages = await site(
    (__, response) => void response.writeHead(status, { "content-type": "text/plain", ...headers }).end("a"),
  );
  await pages.fetch({ url: "/" });
  await pages.fetch({ url: "/" });
  expect([pages.requests.length, readdirSync(directoryOf(pages))]).toEqual([2, []]);
});

test("refuses a stored page whose address is blocked now", async () => {
  const pages = await siteOf("text", "text/plain");
  await pages.fetch({ url: "/" });
  const { result } = await pages.fetch({ url: "/" }, { env: { IKIGAI_WEB_ALLOW: "" } });
  expect(result).toMatchObject({ error_code: "BLOCKED_ADDRESS" });
  const named = await call(
    bin,
    { url: `http://localhost:${pages.origin.split(":")[2]}/` },
    { env: homeVariables(pages.home) },
  );
  expect(named.result).toMatchObject({ error_code: "BLOCKED_ADDRESS" });
});

test.each<[string, (path: string) => void]>([
  ["text that is no JSON", (path) => writeFileSync(path, "{")],
  ["nothing", (path) => writeFileSync(path, "")],
  ["another page", (path) => change(path, (entry) => ({ ...entry, key: "markdown http://other/" }))],
  ["no hops", (path) => change(path, ({ page, ...entry }) => ({ ...entry, page: { ...page, hops: [] } }))],
  [
    "hops of another shape",
    (path) => change(path, ({ page, ...entry }) => ({ ...entry, page: { ...page, hops: [{ url: 1 }] } })),
  ],
  [
    "hops that end elsewhere",
    (path) => change(path, ({ page, ...entry }) => ({ ...entry, page: { ...page, url: "http://x/" } })),
  ],
  [
    "a text that is no string",
    (path) => change(path, ({ page, ...entry }) => ({ ...entry, page: { ...page, text: [1] } })),
  ],
  ["a list", (path) => writeFileSync(path, "[]")],
  ["deep nesting", (path) => writeFileSync(path, "[".repeat(1_000_000))],
  ["30 MiB", (path) => writeFileSync(path, Buffer.alloc(30 * 1_048_576, " "))],
  ["a prototype", (path) => writeFileSync(path, '{"__proto__":{"key":1},"page":{"__proto__":null}}')],
])("fetches again if the file contains %s", async (_, spoil) => {
  const pages = await siteOf("text", "text/plain");
  await pages.fetch({ url: "/" });
  spoil(stored(pages));
  expect((await pages.fetch({ url: "/" })).result).toMatchObject({ output: "text" });
  expect(pages.requests).toHaveLength(2);
  expect((await pages.fetch({ url: "/" })).result).toMatchObject({ output: "text", cached: true });
});

test("cleans what it reads from a file, too", async () => {
  const pages = await siteOf("text", "text/plain");
  await pages.fetch({ url: "/" });
  change(stored(pages), ({ page, ...entry }) => ({ ...entry, page: { ...page, text: "a\u202eb" } }));
  expect((await pages.fetch({ url: "/" })).result).toMatchObject({ output: "ab", removed: 1, cached: true });
});

test.each<[string, (directory: string) => void]>([
  ["is open to others", (directory) => chmodSync(directory, 0o755)],
  [
    "is a symlink",
    (directory) => {
      rmSync(directory, { recursive: true });
      symlinkSync("/tmp", directory);
    },
  ],
  [
    "is a file",
    (directory) => {
      rmSync(directory, { recursive: true });
      writeFileSync(directory, "");
    },
  ],
])("uses $TMPDIR if the directory %s", async (_, spoil) => {
  const pages = await siteOf("text", "text/plain");
  mkdirSync(directoryOf(pages), { recursive: true, mode: 0o700 });
  spoil(directoryOf(pages));
  await pages.fetch({ url: "/" });
  const fallback = join(pages.home, "tmp", `ikigai-web-${process.getuid?.()}`);
  expect(readdirSync(fallback)).toHaveLength(1);
  expect(statSync(fallback).mode & 0o777).toBe(0o700);
  expect((await pages.fetch({ url: "/" })).result).toMatchObject({ cached: true });
});

/** Every place of the user's, and of all tools of a sandbox. */
const shared = (home: string) =>
  [".cache/ikigai/web", "xdg/ikigai/web", `tmp/ikigai-web-${process.getuid?.()}`].map((path) => join(home, path));

test.each([
  ["in its data directory", true],
  ["nowhere if it has none", false],
])("in a sandbox neither reads nor writes what other tools can write, and keeps pages %s", async (_, hasData) => {
  const pages = await siteOf("text", "text/plain");
  await pages.fetch({ url: "/" });
  const path = stored(pages);
  change(path, ({ page, ...entry }) => ({ ...entry, page: { ...page, text: "forged" } }));
  for (const directory of shared(pages.home)) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!path.startsWith(directory)) copyFileSync(path, join(directory, basename(path)));
  }
  const data = join(pages.home, "data");
  const places = { XDG_CACHE_HOME: join(pages.home, "xdg"), IKIGAI_DATA_DIR: hasData ? data : undefined };
  const fetch = async (url: string) =>
    (await pages.fetch({ url }, { env: { ...places, IKIGAI_SANDBOX: "bubblewrap" } })).result;
  expect(await fetch("/")).toMatchObject({ output: "text" });
  expect(await fetch("/")).toMatchObject({ output: "text", ...(hasData && { cached: true }) });
  expect(await fetch("/other")).not.toHaveProperty("cached");
  expect(pages.requests).toHaveLength(hasData ? 3 : 4);
  for (const directory of shared(pages.home)) expect(readdirSync(directory)).toEqual([basename(path)]);
  expect(readdirSync(pages.home).includes("data")).toBe(hasData);
});

test("works without any directory", async () => {
  const pages = await siteOf("text", "text/plain");
  for (const HOME of ["/proc/nowhere", "", "relative"]) {
    const { result } = await pages.fetch({ url: "/" }, { env: { HOME, TMPDIR: "/proc/nowhere" } });
    expect(result).toMatchObject({ output: "text" });
  }
  expect(pages.requests).toHaveLength(3);
});

test("removes what is old, then the oldest above 50 MiB", async () => {
  const pages = await siteOf("text", "text/plain");
  mkdirSync(directoryOf(pages), { recursive: true, mode: 0o700 });
  const add = (name: string, mebibytes: number, ageMs: number) => {
    const path = join(directoryOf(pages), name);
    writeFileSync(path, Buffer.alloc(mebibytes * 1_048_576));
    utimesSync(path, new Date(), new Date(Date.now() - ageMs));
  };
  add("expired.json", 0, 16 * 60_000);
  add("oldest.json", 20, 3_000);
  add("older.json", 20, 2_000);
  add("newer.json", 20, 1_000);
  await pages.fetch({ url: "/" });
  const left = readdirSync(directoryOf(pages)).filter((name) => name.length < 64);
  expect(left.sort()).toEqual(["newer.json", "older.json"]);
});

test("removes a page for which the disk has no room", async () => {
  const pages = await siteOf("x".repeat(200_000), "text/plain");
  // Files of at most 64 KiB. Node ignores the signal and gets the error.
  const limited = join(pages.home, "limited");
  writeFileSync(limited, `#!/bin/sh\nulimit -f 128\nexec ${bin} "$@"\n`, { mode: 0o755 });
  const { result } = await call(
    limited,
    { url: `${pages.origin}/` },
    { env: { ...homeVariables(pages.home), IKIGAI_WEB_ALLOW: new URL(pages.origin).host } },
  );
  expect(result).toMatchObject({ total_lines: 1 });
  expect(readdirSync(directoryOf(pages))).toEqual([]);
});

test("keeps raw text and Markdown apart", async () => {
  const pages = await siteOf("<p>a</p>", "text/html");
  expect((await pages.fetch({ url: "/" })).result?.output).not.toContain("<p>");
  expect((await pages.fetch({ url: "/", raw: true })).result?.output).toBe("<p>a</p>");
  expect((await pages.fetch({ url: "/" })).result).toMatchObject({
    cached: true,
    output: expect.not.stringContaining("<p>"),
  });
});
