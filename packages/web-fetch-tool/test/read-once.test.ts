import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServed, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, homeVariables, siteOf } from "./site.ts";

/** How many functions V8 optimizes while the tool reads a page of so many characters. */
async function optimizedFor(length: number): Promise<number> {
  const part = '<p>The <a href="/f">function</a> returns <em>one</em> of <code>a</code>.</p><ul><li>first</ul>';
  const { origin, home } = await siteOf(part.repeat(length).slice(0, length), "text/html");
  const env = { ...process.env, ...homeVariables(home), IKIGAI_WEB_ALLOW: new URL(origin).host };
  const run = promisify(execFile)(process.execPath, ["--trace-opt", bin], { env, maxBuffer: 64 * 1_048_576 });
  run.child.stdin?.end(JSON.stringify({ url: origin, limit: 1 }));
  const { stdout } = await run;
  return stdout.match(/completed (?:optimizing|compiling).*TURBOFAN/g)?.length ?? 0;
}

test("leaves out optimizing for a page of which it would take most of the time", async () => {
  // Some of Node's own functions are optimized before the page has arrived.
  expect(await optimizedFor(73_000)).toBeLessThan(6);
  expect(await optimizedFor(400_000)).toBeLessThan(6);
  expect(await optimizedFor(400_001)).toBeGreaterThan(20);
});

/** Notes the flags of V8 that a program sets. */
const noting = `const v8 = require("node:v8");
const set = v8.setFlagsFromString;
v8.setFlagsFromString = (flag) => { require("node:fs").appendFileSync(process.env.FLAGS, flag); set(flag); };`;

test("a process that answers several calls optimizes, and one that answers a single call does not", async () => {
  const { origin, home } = await siteOf("<p>Text.</p>".repeat(6_000), "text/html");
  const dir = await tempDir({
    "noting.cjs": noting,
    "web-fetch-tool": {
      content: `#!/bin/sh\nexec node --require "$(dirname "$0")/noting.cjs" "${bin}"\n`,
      mode: 0o755,
    },
  });
  const flags = join(dir, "flags");
  const { HOME = "", TMPDIR = "" } = homeVariables(home);
  const env = {
    HOME,
    TMPDIR,
    XDG_CACHE_HOME: join(dir, "cache"),
    IKIGAI_WEB_ALLOW: new URL(origin).host,
    FLAGS: flags,
  };
  const tool = join(dir, "web-fetch-tool");
  await using served = await startServed(tool, { env });
  for (const path of ["a", "b"]) {
    expect(await served.nextLine()).toBe('{"ready":true}');
    expect(await served.call({ url: `${origin}/${path}`, limit: 1 })).toContain('"lines":1');
  }
  expect(existsSync(flags)).toBe(false);
  const run = promisify(execFile)(tool, [], { env: { ...process.env, ...env } });
  run.child.stdin?.end(JSON.stringify({ url: `${origin}/c`, limit: 1 }));
  expect((await run).stdout).toContain('"lines":1');
  expect(readFileSync(flags, "utf8")).toBe("--no-opt");
});
