// Promise 2 of SECURITY.md.
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "@ikigai/testing";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { callTool, findTool, type RegisteredTool, spareTools, trust } from "../src/index.ts";
import { hasBubblewrap, sandboxStage } from "./sandbox-stage.ts";
import { untilGone } from "./serving-tool.ts";
import { circumstances, schema, tool, world } from "./world.ts";

/** A service in sh that counts; `write` in the arguments is a file that it tries to write. */
const counting = (name: string, service = "counting") => ({
  content: tool(
    schema(name, { ikigai: { service } }),
    `echo '{"ready":true}'
left=$(sleep 100 >/dev/null 2>&1 & echo $!)
count=0
while read -r line; do
  id=\${line#*\\"call\\":\\"} id=\${id%%\\"*} file=\${line#*\\"write\\":\\"} file=\${file%%\\"*}
  count=$((count + 1)) wrote=false
  case $line in *write*) touch "$file" 2>/dev/null && wrote=true ;; esac
  echo "{\\"call\\":\\"$id\\",\\"answer\\":{\\"count\\":$count,\\"pid\\":$$,\\"wrote\\":$wrote,\\"data\\":\\"$IKIGAI_DATA_DIR\\"}}"
done`,
  ),
  mode: 0o755,
});

afterEach(() => vi.restoreAllMocks());

function pool() {
  const spares = spareTools();
  onTestFinished(() => spares.close());
  return spares;
}

test("runs 16 services at once, and says what to do about the next", async () => {
  const wanted = Array.from({ length: 32 }, (_, index) => index);
  const files = Object.fromEntries(wanted.map((n) => [`places/${n}/t${n}-tool`, counting(`t${n}`)]));
  const { root, discover } = await world({ ...files, "home/tools/": "" });
  for (const n of wanted) symlinkSync(join(root, `places/${n}/t${n}-tool`), join(root, `home/tools/t${n}-tool`));
  const registry = await discover();
  const spares = pool();
  const own = await circumstances({ spares });
  const outcomes = await Promise.all(wanted.map((n) => callTool(registry, `t${n}`, "{}", { ...own, callId: `${n}` })));
  const refused = outcomes.flatMap(({ envelope }) => (envelope.tool_success ? [] : [envelope]));
  expect(refused).toHaveLength(16);
  const why =
    "its service 'counting' cannot be started: 16 services are running, which is the limit; end one with /jobs";
  for (const { error, error_code: code } of refused) {
    expect([code, error]).toEqual(["TOOL_UNAVAILABLE", expect.stringContaining(why)]);
  }
  const [one] = spares.services.list();
  await one?.end();
  const next = outcomes.findIndex(({ envelope }) => !envelope.tool_success);
  expect((await callTool(registry, `t${next}`, "{}", own)).envelope).toMatchObject({ tool_success: true });
  // One that is running can still be called.
  const running = outcomes.findLastIndex(({ envelope }) => envelope.tool_success);
  expect((await callTool(registry, `t${running}`, "{}", own)).envelope).toMatchObject({ result: { count: 2 } });
});

describe.skipIf(!hasBubblewrap)("a service in the sandbox (needs bwrap)", () => {
  test("is shared under one policy, bound by it, and gone with all it started when it ends", async () => {
    const files = { "home/tools/one-tool": counting("one"), "home/tools/two-tool": counting("two") };
    const { discover, projectDir, sandbox, root, home } = await sandboxStage(files);
    const registry = await discover();
    const spares = pool();
    const own = await circumstances({ cwd: projectDir, projectDir, home, sandbox, spares });
    const call = async (name: string, write: string, different = {}) => {
      const { envelope } = await callTool(registry, name, JSON.stringify({ write }), { ...own, ...different });
      return envelope.tool_success ? envelope.result : { envelope };
    };
    expect(await call("one", join(projectDir, "a"))).toMatchObject({ count: 1, wrote: true });
    expect(await call("two", join(root, "person/b"))).toMatchObject({ count: 2, wrote: false });
    expect(existsSync(join(root, "person/b"))).toBe(false);
    expect(await call("two", join(home, "data/service-counting/c"))).toMatchObject({ count: 3, wrote: true });
    expect(await call("one", join(root, "person/b"), { sandbox: undefined })).toMatchObject({ count: 1, wrote: true });
    expect(await call("one", "/", { sandbox: { ...sandbox, network: true } })).toMatchObject({ count: 1 });
    const reading = { sandbox: { ...sandbox, isReadOnly: true } };
    expect(await call("one", join(projectDir, "d"), reading)).toMatchObject({ count: 1, wrote: false });
    expect(await call("one", "/")).toMatchObject({ count: 4 });
    const services = spares.services.list();
    expect(services.map(({ isSandboxed }) => isSandboxed)).toEqual([true, false, true, true]);
    await spares.close();
    for (const { pid } of services) expect(isRunning(Number(pid))).toBe(false);
  });

  test("continues when the sandbox would permit more, and is started again when it would permit less", async () => {
    const { discover, projectDir, sandbox, root, home } = await sandboxStage({
      "home/tools/one-tool": counting("one"),
    });
    const registry = await discover();
    const readable = [join(root, "outputs")];
    const hidden = [join(root, "private")];
    const own = { cwd: projectDir, projectDir, home, sandbox: { ...sandbox, readable, hidden }, spares: pool() };
    const settings = await circumstances(own);
    const count = async () => {
      const { envelope } = await callTool(registry, "one", "{}", settings);
      return envelope.tool_success ? envelope.result.count : envelope;
    };
    expect(await count()).toBe(1);
    mkdirSync(join(root, "outputs"));
    // A plan is reused for ten seconds.
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 11_000);
    expect(await count()).toBe(2);
    mkdirSync(join(root, "private"));
    vi.mocked(performance.now).mockReturnValue(performance.now() + 11_000);
    expect(await count()).toBe(1);
  });

  test("reports a sandbox that cannot be started as such", async () => {
    const { discover, projectDir, sandbox, home } = await sandboxStage({ "home/tools/one-tool": counting("one") });
    const own = await circumstances({ cwd: "/", projectDir, home, spares: pool() });
    const missing = { ...sandbox, userHome: projectDir };
    const { envelope } = await callTool(await discover(), "one", "{}", { ...own, sandbox: missing });
    expect(envelope).toMatchObject({ error_code: "TOOL_UNAVAILABLE", error: expect.stringContaining("sandbox") });
  });
});

test("gives a tool behind a launcher a process per call", async () => {
  const { discover } = await world({ "home/tools/one-tool": counting("one") });
  const one = findTool(await discover(), "one") as RegisteredTool;
  const launched = { ...one, launcher: { argv: ["sh", "-c"], path: "/nowhere" } };
  const { services } = pool();
  expect(services.serves(one, {})).toBe(true);
  expect(services.serves(one, { env: { IKIGAI_NO_SERVE: "0" } })).toBe(true);
  expect(services.serves(launched, {})).toBe(false);
  expect(services.status(launched, {})).toEqual({ name: "counting", whyNot: "it has a launcher", running: [] });
});

test("ends the service of a project whose files have changed, and starts it again when they are trusted", async () => {
  const { discover, projectDir, home } = await world({ "project/.ikigai/tools/one-tool": counting("one") });
  appendFileSync(join(projectDir, ".ikigai/notes"), "one\n");
  await trust({ home, projectDir });
  const registry = await discover();
  const own = await circumstances({ projectDir, home, spares: pool() });
  const { envelope } = await callTool(registry, "one", "{}", own);
  expect(envelope).toMatchObject({ tool_success: true, result: { count: 1 } });
  const { pid, data } = envelope.tool_success ? envelope.result : {};
  expect(data).toMatch(/\/project-[0-9a-f]{12}-service-counting$/);
  appendFileSync(join(projectDir, ".ikigai/notes"), "two\n");
  expect((await callTool(registry, "one", "{}", own)).envelope).toMatchObject({
    error_code: "TOOL_UNAVAILABLE",
    error: expect.stringContaining("has changed since you trusted it"),
  });
  await untilGone(pid);
  await trust({ home, projectDir });
  expect((await callTool(await discover(), "one", "{}", own)).envelope).toMatchObject({ result: { count: 1 } });
});

test("does not call the service of a project whose files have changed while it started", async () => {
  const { discover, projectDir, home } = await world({ "project/.ikigai/tools/one-tool": counting("one") });
  await trust({ home, projectDir });
  const change = () => appendFileSync(join(projectDir, ".ikigai/tools/one-tool"), "# changed\n");
  const own = await circumstances({ projectDir, home, spares: pool(), onProgress: change });
  expect((await callTool(await discover(), "one", "{}", own)).envelope).toMatchObject({
    error_code: "TOOL_UNAVAILABLE",
    error: expect.stringContaining("has changed since you trusted it"),
  });
});

test("starts the service of a project again when its files have been trusted again meanwhile", async () => {
  const { discover, projectDir, home } = await world({ "project/.ikigai/tools/one-tool": counting("one") });
  await trust({ home, projectDir });
  const own = await circumstances({ projectDir, home, spares: pool() });
  expect((await callTool(await discover(), "one", "{}", own)).envelope).toMatchObject({ result: { count: 1 } });
  appendFileSync(join(projectDir, ".ikigai/notes"), "one\n");
  await trust({ home, projectDir });
  expect((await callTool(await discover(), "one", "{}", own)).envelope).toMatchObject({ result: { count: 1 } });
  expect(readFileSync(join(home, "logs/service-counting.log"), "utf8").match(/ started\n/g)).toHaveLength(2);
});
