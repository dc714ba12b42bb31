// @module-tag sampled
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { call, checkTool, startServed, tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { type ExampleTool, examples, exampleTools } from "./example-tools.ts";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

const { weather, gitChanges, bash, sqlQuery, counter, checksum, coverage } = exampleTools;

/** A test of a tool, skipped if its program is missing. */
function example(title: string, tool: ExampleTool, run: (path: string) => Promise<void>): void {
  test.skipIf(tool.isMissing)(`${title} (needs ${tool.needs})`, async () => run(await tool.path()));
}

interface ConversationOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** Lets a model call a tool once; returns the envelope, and the text that the model got. */
async function converse(tool: ExampleTool, args: object, { env, files }: ConversationOptions = {}) {
  const path = await tool.path();
  const file = `${tool.name.replaceAll("_", "-")}-tool`;
  const home = await tempDir({ [`.ikigai/tools/${file}`]: { link: path } });
  const cwd = await tempDir(files);
  const model = await startModel([{ calls: [{ name: tool.name, arguments: args }] }]);
  const flags = ["--model", "openai-compatible/m", "--allow", tool.name, "--output-format", "json"];
  const options = { cwd, env: { ...model.env, HOME: home, ...env } };
  // On a busy machine an interpreter may take longer than a second to print the schema.
  await vi.waitFor(
    async () => expect((await ikigai(["tool", "list"], options)).stdout).not.toMatch(/did not end/),
    20_000,
  );
  const end = await ikigai(["-p", "go", ...flags], options);
  expect(end).toMatchObject({ exitCode: 0, stderr: "" });
  const [{ envelope }] = JSON.parse(end.stdout).tool_calls;
  const shown = model.requests[1]?.messages.at(-1)?.content;
  return { envelope, shown: JSON.parse(String(shown)), home, cwd };
}

/** A server that answers as open-meteo.com does, for one city. */
async function weatherServer(): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const query = new URL(url, "http://localhost").searchParams;
    const places = query.get("name") === "Oslo" ? [{ name: "Oslo", latitude: 59.9, longitude: 10.7 }] : undefined;
    const isForecast = query.get("latitude") === "59.9";
    response.end(
      JSON.stringify(isForecast ? { current: { temperature_2m: -3.5, weather_code: 73 } } : { results: places }),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Tools that the kit checks below, with their variables and calls. */
const checkedWithCalls: readonly ExampleTool[] = [weather, sqlQuery];

for (const tool of Object.values(exampleTools)) {
  if (checkedWithCalls.includes(tool)) continue;
  example(`${tool.name} follows the whole protocol`, tool, async (path) => {
    const { results } = await checkTool(path);
    expect(results.filter(({ status }) => status === "failed")).toEqual([]);
  });
}

example(
  "weather follows the whole protocol, returns the data of the service, or says why it cannot",
  weather,
  async (path) => {
    const env = { WEATHER_URL: await weatherServer() };
    const { results } = await withVariables(env, () =>
      checkTool(path, { calls: [{ city: "Oslo" }, { city: "Olso" }] }),
    );
    expect(results.filter(({ status }) => status === "failed")).toEqual([]);
    const result = { city: "Oslo", temperature: -3.5, unit: "°C", condition: "snow" };
    expect(await converse(weather, { city: "Oslo" }, { env })).toMatchObject({
      envelope: { tool_success: true, result },
      shown: { tool_success: true, result },
    });
    expect((await call(path, { city: "Olso" }, { env })).result).toEqual({
      error: "No such city: Olso",
      error_code: "NOT_FOUND",
    });
    const unreachable = await call(path, { city: "Oslo" }, { env: { WEATHER_URL: "http://127.0.0.1:9/" } });
    expect(unreachable.result).toMatchObject({
      error_code: "SERVICE_FAILED",
      error: expect.stringContaining("did not answer"),
    });
  },
);

example("git_changes returns the output of git, as much as fits", gitChanges, async (path) => {
  const names = Array.from({ length: 50 }, (_, index) => `file "${index}" \\ é`);
  const files = Object.fromEntries(names.map((name) => [name, ""]));
  const cwd = await tempDir(files);
  execFileSync("git", ["init", "-q"], { cwd });
  const listed = execFileSync("git", ["status", "--porcelain"], { cwd, encoding: "utf8" }).trimEnd();
  expect((await call(path, {}, { cwd })).result).toEqual({ changes: listed, count: 50 });
  const cut = await call(path, {}, { cwd, env: { IKIGAI_MAX_OUTPUT_BYTES: "1000" } });
  expect(cut.stdout.length).toBeLessThanOrEqual(1000);
  expect(cut.result?.count).toBe(50);
  expect(listed.startsWith(`${cut.result?.changes}\n`)).toBe(true);
  const { envelope } = await converse(gitChanges, {});
  expect(envelope).toMatchObject({ tool_success: true, result: { error_code: "NOT_A_REPOSITORY" } });
});

example(
  "sql_query follows the whole protocol, says what to set up, then answers, and changes nothing",
  sqlQuery,
  async (path) => {
    const missing = await converse(sqlQuery, { query: "select 1" });
    expect(missing.shown).toEqual({
      tool_success: true,
      result: {
        error: "SQL_QUERY_DATABASE is not set.",
        error_code: "MISSING_CREDENTIALS",
        help: { steps: [expect.stringContaining("export SQL_QUERY_DATABASE="), expect.any(String)] },
      },
    });
    const env = { SQL_QUERY_DATABASE: join(examples, "sql-query/cities.db") };
    const before = readFileSync(env.SQL_QUERY_DATABASE);
    const { envelope } = await converse(
      sqlQuery,
      { query: "select * from city order by people desc", limit: 2 },
      { env },
    );
    expect(envelope).toEqual({
      tool_success: true,
      result: {
        columns: ["name", "people", "flag"],
        rows: [
          ["Tokyo", "9007199254740993", { base64: "AP8=" }],
          ["Paris", 2100000, null],
        ],
        truncated: true,
      },
    });
    const ask = async (query: string) => (await call(path, { query }, { env })).result;
    expect(await ask("delete from city")).toMatchObject({ error: "attempt to write a readonly database" });
    expect(await ask("pragma query_only = off; delete from city")).toMatchObject({
      error: "Expected one statement, got 2.",
    });
    expect(await ask("selec")).toEqual({ error: 'near "selec": syntax error', error_code: "INVALID_QUERY" });
    expect(readFileSync(env.SQL_QUERY_DATABASE).equals(before)).toBe(true);
    const { results } = await withVariables(env, () => checkTool(path));
    expect(results.filter(({ status }) => status === "failed")).toEqual([]);
  },
);

example("sql_query is one file that runs below any package.json", sqlQuery, async (path) => {
  for (const type of ["module", "commonjs"]) {
    const dir = await tempDir({ "package.json": JSON.stringify({ type }) });
    writeFileSync(`${dir}/sql-query-tool`, readFileSync(path), { mode: 0o755 });
    expect((await checkTool(`${dir}/sql-query-tool`, { only: ["answers", "error-shape"] })).ok).toBe(true);
  }
});

example("checksum returns the same as sha256sum", checksum, async (path) => {
  const { envelope } = await converse(checksum, { path: "a.txt" }, { files: { "a.txt": "abc" } });
  const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(envelope).toEqual({ tool_success: true, result: { checksum: sum, bytes: 3 } });
  const cwd = await tempDir({ "a.txt": "abc" });
  execFileSync("mkfifo", ["pipe"], { cwd });
  expect((await call(path, { path: "a.txt", algorithm: "md5" }, { cwd })).result).toMatchObject({
    checksum: "900150983cd24fb0d6963f7d28e17f72",
  });
  expect((await call(path, { path: "pipe" }, { cwd })).result).toMatchObject({ error_code: "NOT_A_FILE" });
  expect((await call(path, { path: "none" }, { cwd })).result).toMatchObject({ error_code: "OPEN_FAILED" });
  expect(await call(path, { path: "a.txt", algorithm: "crc" }, { cwd })).toMatchObject({ exitCode: 1, stdout: "" });
});

example("git_changes serves calls, each with its own limit and id", gitChanges, async (path) => {
  const cwd = await tempDir(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`file "${index}" \\ é`, ""])));
  execFileSync("git", ["init", "-q"], { cwd });
  await using tool = await startServed(path, { cwd });
  expect(await tool.nextLine()).toBe('{"ready":true}');
  for (const limit of ["1000", "65536", "500"]) {
    const env = { IKIGAI_MAX_OUTPUT_BYTES: limit, IKIGAI_TEST: "it's $(id) \n" };
    const { stdout } = await call(path, {}, { cwd, env });
    expect(await tool.call({}, { id: 'a "1"', env })).toBe(`{"call":"a \\"1\\"","answer":${stdout}}`);
    expect(await tool.nextLine()).toBe('{"ready":true}');
  }
  expect(await tool.call([])).toContain('"refused":"expected a JSON object on stdin"}');
});

example("checksum serves calls, valid and invalid ones", checksum, async (path) => {
  const cwd = await tempDir({ "a.txt": "abc", "<b>.txt": "" });
  await using tool = await startServed(path, { cwd });
  expect(await tool.nextLine()).toBe('{"ready":true}');
  for (const args of [{ path: "a.txt" }, { path: "<b>.txt", algorithm: "md5" }, { path: "none" }]) {
    const { stdout } = await call(path, args, { cwd });
    expect(await tool.call(args, { id: "1" })).toBe(`{"call":"1","answer":${stdout.trimEnd()}}`);
    expect(await tool.nextLine()).toBe('{"ready":true}');
  }
  const { stderr } = await call(path, { path: "a.txt", algorithm: "crc" });
  expect(await tool.call({ path: "a.txt", algorithm: "crc" }, { id: "2" })).toBe(
    JSON.stringify({ call: "2", refused: stderr.trimEnd() }),
  );
});

example(
  "counter counts the calls of its service; one process per call is always at the first",
  counter,
  async (path) => {
    expect(await call(path, {})).toMatchObject({ exitCode: 0, stdout: '{"count":1}\n' });
    await using service = await startServed(path);
    expect(await service.nextLine()).toBe('{"ready":true}');
    const ids = [service.send({}), service.send({})];
    service.cancel("none");
    expect(await service.nextLine()).toBe(`{"call":"${ids[0]}","answer":{"count":1}}`);
    expect(await service.nextLine()).toBe(`{"call":"${ids[1]}","answer":{"count":2}}`);
    const { stderr } = await call(path, []);
    expect(await service.call([], { id: "3" })).toBe(JSON.stringify({ call: "3", refused: stderr.trimEnd() }));
    expect(await service.call({}, { id: "4", tool: "other" })).toContain(
      '"refused":"counter-tool: there is no tool other',
    );
    service.closeInput();
    expect(await service.exitCode()).toBe(0);
  },
);

example("counter counts up in a conversation, also with two calls at once", counter, async (path) => {
  const home = await tempDir({ ".ikigai/tools/counter-tool": { link: path } });
  const one = { name: "counter", arguments: {} };
  const model = await startModel([{ calls: [one] }, { calls: [one, one] }, { calls: [one] }]);
  const options = { cwd: await tempDir(), env: { ...model.env, HOME: home, IKIGAI_NO_SERVE: undefined } };
  const flags = ["--model", "openai-compatible/m", "--allow", "cou*", "--output-format", "json"];
  const { stdout, exitCode } = await ikigai(["-p", "go", ...flags], options);
  expect(exitCode).toBe(0);
  const counts = JSON.parse(stdout).tool_calls.map(({ envelope }: { envelope: object }) => envelope);
  expect(counts).toEqual([1, 2, 3, 4].map((count) => ({ tool_success: true, result: { count } })));
});

example("bash logs the commands it forwards, and refuses forbidden ones", bash, async () => {
  const { envelope, home, cwd } = await converse(bash, { command: "echo hello" });
  expect(envelope).toEqual({ tool_success: true, result: { output: "hello", exit_code: 0 } });
  const log = JSON.parse(readFileSync(join(home, ".ikigai/bash-commands.log"), "utf8"));
  expect(log).toEqual({ time: expect.any(Number), cwd, command: "echo hello" });
  const refused = await converse(bash, { command: "rm -fr keep" }, { files: { "keep/a": "" } });
  expect(refused.envelope).toMatchObject({ tool_success: true, result: { error_code: "REFUSED" } });
  expect(readFileSync(join(refused.cwd, "keep/a"), "utf8")).toBe("");
});

/** A report in lcov's format: as many lines of each file, the first ones of which were run. */
function lcov(files: Readonly<Record<string, number>>): string {
  const line = (runs: number) => (_: unknown, index: number) => `DA:${index + 1},${Number(index < runs)}`;
  const parts = Object.entries(files).map(
    ([name, runs]) => `SF:${name}\n${Array.from({ length: 10 }, line(runs)).join("\n")}`,
  );
  return `TN:\n${parts.join("\nend_of_record\n")}\nend_of_record\n`;
}

example("coverage_chart shows one of each kind, and the model gets the texts", coverage, async () => {
  const files = { "now.info": lcov({ "a.ts": 9, "b.ts": 2 }), "old.info": lcov({ "a.ts": 8, "b.ts": 2 }) };
  const { envelope, shown } = await converse(coverage, { report: "now.info", before: "old.info" }, { files });
  expect(envelope).not.toHaveProperty("visual_ignored");
  expect(shown.result).toEqual({
    output: "a.ts 90.0 %\nb.ts 20.0 %\n",
    visual: [
      "Covered lines: b.ts 20.0 %, a.ts 90.0 %",
      "Coverage in percent: b.ts 20.0 %, a.ts 90.0 %",
      expect.stringContaining("-a.ts 80.0 %\n+a.ts 90.0 %"),
      "The lines of each file, green if they were run, else red",
    ],
  });
  const missing = await converse(coverage, {});
  expect(missing.shown.result).toMatchObject({ error_code: "NO_REPORT" });
});

example("coverage_chart is drawn in the REPL", coverage, async (path) => {
  const HOME = await tempDir({ ".ikigai/tools/coverage-chart-tool": { link: path } });
  const cwd = await tempDir({ "coverage/lcov.info": lcov({ "a.ts": 10, "b.ts": 5 }) });
  const { env } = await startModel([{ calls: [{ name: "coverage_chart", arguments: {} }] }]);
  const { stdout } = await ikigai(["--model", "openai-compatible/m", "--allow", "coverage_chart"], {
    cwd,
    env: { ...env, HOME },
    typed: "go\n",
  });
  expect(stdout).toContain(
    "  file  lines  run    %\n  ─────────────────────\n  b.ts     10    5   50\n  a.ts     10   10  100\n",
  );
  expect(stdout).toMatch(/\n {2}b\.ts {2}█{20,}[▏▎▍▌▋▊▉]? +50\n {2}a\.ts {2}█{40,} {2}100\n/);
  expect(stdout).toMatch(/green if they were run, else red\n {2}image: .*coverage\.png \(512 x 16\)\n/);
});

/** Runs a function with variables in this process's environment, which the kit's tools inherit. */
async function withVariables<Result>(variables: Readonly<Record<string, string>>, run: () => Promise<Result>) {
  Object.assign(process.env, variables);
  try {
    return await run();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
}
