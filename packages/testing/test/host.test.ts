// @module-tag sampled
import { execFileSync, spawnSync } from "node:child_process";
import { join, relative } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { checkHost, describeHost, hostCases, runHostCommand } from "../src/host.ts";
import { tempDir } from "../src/run/temp-dir.ts";

// The programs of examples/hosts pass the host kit, and what passes for a host does not.

const hosts = join(import.meta.dirname, "../../../examples/hosts");
const isMissing = (program: string) => spawnSync(program, ["version"]).error !== undefined;

describe.skipIf(isMissing("python3"))("host.py (needs python3)", () => {
  describeHost(["python3", join(hosts, "host.py")], { test });
});

const program = join(await tempDir(), "host");

describe.skipIf(isMissing("go"))("the host in Go (needs go)", () => {
  beforeAll(() => {
    execFileSync("go", ["build", "-o", program, "."], { cwd: join(hosts, "go") });
  });
  describeHost([program], { test });
});

test("a host that prints nothing useful fails all cases that expect an envelope", async () => {
  const results = await checkHost(["/bin/sh", "-c", "echo '{}'"], { skip: ["discovery/", "plain/", "slow/"] });
  expect(results).toHaveLength(hostCases.length);
  for (const { status, problem, id } of results)
    if (status !== "skipped") expect([id, status, problem?.startsWith("expected ")]).toEqual([id, "failed", true]);
});

test("a host that runs what it finds in the project fails for what the project has done", async () => {
  const host = `for file in .ikigai/tools/*; do [ -x "$file" ] && "$file" > /dev/null; done
echo '{"tool_success":false,"error":"no"}'`;
  const [result] = (await checkHost(["/bin/sh", "-c", host, "sh"], { skip: othersThan("discovery/untrusted") })).filter(
    ({ status }) => status === "failed",
  );
  expect(result?.problem).toBe("something ran, or went on running: it made ran.txt.");
});

test.skipIf(isMissing("python3"))("the command finds a host by a relative path", async () => {
  const skips = othersThan("answers/answer").flatMap((id) => ["--skip", id]);
  const host = relative(process.cwd(), join(hosts, "host.py"));
  expect(await runHostCommand([...skips, "python3", host], () => {})).toBe(0);
});

test("the command prints a line for each case and counts them", async () => {
  let out = "";
  const skips = othersThan("failures/missing").flatMap((id) => ["--skip", id]);
  const code = await runHostCommand([...skips, "/bin/sh", "-c", "echo '{\"tool_success\":true}'"], (text) => {
    out += text;
  });
  expect(code).toBe(1);
  expect(out).toContain(
    "FAILED  failures/missing: a tool that does not exist is not found\n        expected tool_success",
  );
  expect(out).toContain(`0 of ${hostCases.length} cases passed, ${hostCases.length - 1} skipped, 1 failed.\n`);
});

function othersThan(wanted: string): readonly string[] {
  return hostCases.map(({ id }) => id).filter((id) => id !== wanted);
}
