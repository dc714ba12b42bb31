import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Lock } from "@ikigai/system";
import { call, ownExecutable, tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";

const bin = ownExecutable(import.meta.url);

const parent = "20260101-000000-0000000a";
const child = "20260101-000000-0000000b";

/** The files of a session with one agent, which this process plays. */
async function runningAgent() {
  const home = await tempDir();
  const sessions = join(home, "sessions");
  const agents = join(sessions, `${parent}.agents`);
  mkdirSync(agents, { recursive: true, mode: 0o700 });
  writeFileSync(join(agents, "1.json"), JSON.stringify({ call: "c", tokens: 1, task: "Work." }));
  writeFileSync(join(agents, "1.child.json"), JSON.stringify({ session: child, spent: 0, isOver: false }));
  const lock = new Lock(join(sessions, `${child}.jsonl.lock`));
  expect(lock.tryTake()).toBe(true);
  onTestFinished(() => lock.release());
  const env = { IKIGAI_HOME: home, IKIGAI_SESSION_ID: parent };
  const send = async (message: string) =>
    (await call(bin, { action: "send", session_id: child, message }, { env })).result;
  return { inbox: join(sessions, `${child}.inbox`), agents, lock, env, send };
}

test("messages are in private files, in the order they were sent", async () => {
  const { inbox, send } = await runningAgent();
  for (const text of ["one", "two", "three"]) expect(await send(text)).toMatchObject({ session_id: child });
  const read = readdirSync(inbox).sort();
  expect(read.map((name) => JSON.parse(readFileSync(join(inbox, name), "utf8")))).toEqual(
    ["one", "two", "three"].map((text) => ({ from: parent, text })),
  );
  expect(statSync(inbox).mode & 0o777).toBe(0o700);
  expect(statSync(join(inbox, read[0] ?? "")).mode & 0o777).toBe(0o600);
});

test("the hundredth message is sent, and the next one is not", async () => {
  const { inbox, send } = await runningAgent();
  mkdirSync(inbox, { mode: 0o700 });
  for (let number = 1; number < 100; number++) writeFileSync(join(inbox, `0-${number}.json`), "{}");
  expect(await send("The hundredth.")).toMatchObject({ session_id: child });
  expect(await send("One more.")).toMatchObject({ error_code: "NOT_SENT" });
  expect(readdirSync(inbox)).toHaveLength(100);
});

test("a message to an agent that has ended is not left behind", async () => {
  const { inbox, lock, send } = await runningAgent();
  await send("Still here?");
  lock.release();
  expect(await send("And now?")).toMatchObject({ error_code: "NOT_SENT" });
  expect(readdirSync(inbox)).toHaveLength(1);
});

test("an agent that was killed without a result is an error for a call that waits", async () => {
  const { agents, env, lock } = await runningAgent();
  writeFileSync(join(agents, "1.out"), `{"type":"session","session_id":"${child}"}\n{"type":"tex`);
  writeFileSync(join(agents, "1.err"), "");
  lock.release();
  const { result } = await call(bin, { action: "wait", session_id: child }, { env });
  expect(result).toMatchObject({ error: "The agent was killed", error_code: "AGENT_FAILED", session_id: child });
});

test("when the time of a call that waits is up, the agent is still running", async () => {
  const { env } = await runningAgent();
  const limited = { ...env, IKIGAI_TIMEOUT_MS: "4200" };
  const { result } = await call(bin, { action: "wait", session_id: child }, { env: limited });
  expect(result).toMatchObject({ error_code: "STILL_RUNNING" });
});
