import { execFile } from "node:child_process";
import { promisify } from "node:util";
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
