// Promise 1 of SECURITY.md.
import { execFileSync } from "node:child_process";
import { statSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { readServerConfigFile, renderConfigFault } from "../src/server/read-server-config.ts";

const config = JSON.stringify({ mcpServers: { x: { command: "./run" } } });

test("reads a file, also behind a link, whose programs are in its project", async () => {
  const dir = await tempDir({ ".mcp.json": config, ".cursor/mcp.json": config, "sub/": "" });
  symlinkSync(join(dir, ".mcp.json"), join(dir, "sub/link.json"));
  const { size, mtimeMs } = statSync(join(dir, ".mcp.json"));
  const read = (path: string) => readServerConfigFile(join(dir, path), "/elsewhere");
  const server = { name: "x", given: "x", isOfProject: false, entry: { command: join(dir, "run"), args: [], env: {} } };
  expect(read(".mcp.json")).toEqual({ servers: [server], directory: dir, size, mtimeMs });
  expect(read(".cursor/mcp.json")).toMatchObject({ servers: [server], directory: dir });
  expect(read("sub/link.json")).toMatchObject({ servers: [{ entry: { command: join(dir, "sub/run") } }] });
});

test("refuses what is no file with servers, at once", async () => {
  const dir = await tempDir({ "d/": "", "latin1.json": Buffer.from([0x22, 0xe9, 0x22]), "bad.json": "{\n  x" });
  execFileSync("mkfifo", [join(dir, "fifo")]);
  symlinkSync("loop", join(dir, "loop"));
  const why = (name: string) => {
    const read = readServerConfigFile(join(dir, name), dir);
    return "problem" in read ? renderConfigFault(name, read) : "none";
  };
  expect(why("d")).toBe("d: It is not a regular file.");
  expect(why("fifo")).toBe("fifo: It is not a regular file.");
  expect(why("gone")).toBe("Cannot read gone: no such file or directory.");
  expect(why("loop")).toBe("Cannot read loop: too many levels of symbolic links.");
  expect(why("latin1.json")).toBe("latin1.json: It is not UTF-8. Save it as UTF-8.");
  expect(why("bad.json")).toMatch(/^bad\.json:2:3: Expected /);
});

test("reads a file of 16 MiB and no larger one", async () => {
  const dir = await tempDir({ "x.json": config.padEnd(16_777_216) });
  const path = join(dir, "x.json");
  expect(readServerConfigFile(path, dir)).toMatchObject({ servers: [{ name: "x" }] });
  truncateSync(path, 16_777_217);
  expect(readServerConfigFile(path, dir)).toEqual({
    problem: "It has 16777217 bytes, at most 16777216 can be read.",
  });
});
