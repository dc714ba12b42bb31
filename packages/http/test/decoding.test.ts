// Promise 3 of SECURITY.md.
// @module-tag tables
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeText } from "../src/index.ts";
import { failureOf, get, httpServer, opening } from "./servers.ts";

const compress = { gzip: gzipSync, "x-gzip": gzipSync, br: brotliCompressSync, deflate: deflateSync };

test.each(Object.entries(compress))("decodes %s, and stops at 10 MiB", async (encoding, pack) => {
  const server = await httpServer(({ url = "" }, response) => {
    response.writeHead(200, { "content-encoding": encoding });
    response.end(pack(Buffer.alloc(Number(url.slice(1)), "a")));
  });
  const limit = 10 * 1_048_576;
  expect((await get(`${server.origin}/5`, opening(server))).body.toString()).toBe("aaaaa");
  expect((await get(`${server.origin}/${limit}`, opening(server))).body).toHaveLength(limit);
  expect(await failureOf(get(`${server.origin}/${limit + 1}`, opening(server)))).toMatchObject({ code: "TOO_LARGE" });
});

test("stops a bomb early, in time and memory", async () => {
  const bomb = gzipSync(Buffer.alloc(100 * 1_048_576));
  const server = await httpServer(
    (_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
  );
  const before = process.memoryUsage().rss;
  expect(await failureOf(get(server.origin, opening(server)))).toMatchObject({ code: "TOO_LARGE" });
  expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1_048_576);
});

test("limits what is compressed, too: empty blocks without end", async () => {
  const start = gzipSync("").subarray(0, 10);
  const emptyBlock = Buffer.from([0, 0, 0, 0xff, 0xff]);
  const server = await httpServer((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.write(start);
    const piece = Buffer.concat(Array(200_000).fill(emptyBlock));
    const pump = () => response.write(piece, () => response.destroyed || pump());
    pump();
  });
  expect(await failureOf(get(server.origin, opening(server)))).toMatchObject({ code: "TOO_LARGE" });
});

test.each([
  ["gzip", Buffer.from("no gzip"), "CONNECT_FAILED", "damaged"],
  ["gzip", gzipSync("hello").subarray(0, 12), "CONNECT_FAILED", "damaged"],
  ["br", Buffer.from("no brotli at all"), "CONNECT_FAILED", "damaged"],
  ["zstd", Buffer.from("x"), "UNSUPPORTED_TYPE", '"zstd"'],
  ["\u009b31m", Buffer.from("x"), "UNSUPPORTED_TYPE", "an encoding, which"],
  ["x".repeat(40), Buffer.from("x"), "UNSUPPORTED_TYPE", `the encoding "${"x".repeat(40)}"`],
  ["x".repeat(41), Buffer.from("x"), "UNSUPPORTED_TYPE", "an encoding, which"],
  ["gzip, gzip", gzipSync(gzipSync("x")), "UNSUPPORTED_TYPE", '"gzip, gzip"'],
])("says what is wrong with a body that claims %s", async (encoding, body, code, why) => {
  const server = await httpServer(
    (_, response) => void response.writeHead(200, { "content-encoding": encoding }).end(body),
  );
  const failed = await failureOf(get(server.origin, opening(server)));
  expect([failed.code, failed.message]).toEqual([code, expect.stringContaining(why)]);
});

const latin1 = Buffer.from("caf\xe9", "latin1");
const page = (meta: string) => Buffer.concat([Buffer.from(`<html><head>${meta}<title>`), latin1]);

test.each([
  ["a byte order mark before all else", Buffer.from("\ufeffé"), "text/html; charset=latin1", "é"],
  ["UTF-16 by its mark", Buffer.from("\ufeffé", "utf16le"), "text/plain", "é"],
  ["UTF-16BE by its mark", Buffer.from("\ufeffé", "utf16le").swap16(), "text/plain", "é"],
  ["the Content-Type", latin1, "text/plain; charset=ISO-8859-1", "café"],
  ["the Content-Type in quotes", latin1, 'text/plain;Charset="windows-1252"', "café"],
  [
    "the Content-Type before a meta",
    page('<meta charset="utf-8">'),
    "text/html;charset=latin1",
    expect.stringContaining("café"),
  ],
  ["a meta", page('<meta charset="latin1">'), "text/html", expect.stringContaining("café")],
  [
    "an older meta",
    page('<META http-equiv=content-type content="text/html; charset=latin1">'),
    "text/html",
    expect.stringContaining("café"),
  ],
  [
    "UTF-8 for a meta that says UTF-16",
    Buffer.from('<meta charset="utf-16">é'),
    "text/html",
    expect.stringContaining("é"),
  ],
  ["no meta in a comment", page('<!-- <meta charset="latin1"> -->'), "text/html", expect.stringContaining("caf\ufffd")],
  ["UTF-8 without any", Buffer.from("é日🎉"), "text/plain", "é日🎉"],
  ["what is next if an encoding does not exist", latin1, "text/plain; charset=klingon", "caf\ufffd"],
  ["U+FFFD for invalid bytes", latin1, "text/plain; charset=utf-8", "caf\ufffd"],
  ["NUL bytes", Buffer.from("a\0b"), "text/plain", "a\0b"],
  ["nothing", Buffer.alloc(0), "", ""],
])("reads %s", (_, body, contentType, text) => {
  expect(decodeText(body, contentType)).toEqual(text);
});

test("looks for a meta in the first 1,024 bytes only", () => {
  const meta = '<meta charset="latin1">';
  const at = (offset: number) =>
    decodeText(Buffer.concat([Buffer.from(" ".repeat(offset) + meta), latin1]), "text/html");
  expect(at(1_024 - meta.length)).toContain("café");
  expect(at(1_025)).toContain("caf\ufffd");
});
