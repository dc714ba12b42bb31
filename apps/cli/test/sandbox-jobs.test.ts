// Promise 2 of SECURITY.md.
import { isRunning } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { agentsWorld } from "./agents-world.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import type { SentRequest } from "./model-server.ts";

const server = `exec node -e '
  process.on("SIGTERM", () => process.exit(7));
  require("http").createServer((_, response) => response.end("served")).listen(8123, () => console.log("listening"))'`;

/** Makes these calls of bash in turn, each with what the first has answered; returns the answers. */
async function answersTo(calls: readonly ((first: string) => object)[], ...options: readonly string[]) {
  const firstAnswer = ({ messages }: SentRequest) =>
    String(messages.find(({ role }) => role === "tool")?.content ?? "").replaceAll("\\/", "/");
  const steps = calls.map((call) => (request: SentRequest) => ({
    calls: [{ name: "bash", arguments: call(firstAnswer(request)) }],
  }));
  const { run } = await agentsWorld({ GO: [...steps, { text: "Done." }] });
  const { report, stderr } = await run("GO", options);
  return { stderr, answers: report.tool_calls.map(({ envelope }) => envelope.result) };
}

const start = () => ({ command: server, background: true });
const directoryIn = (answer: string) => /\/tmp\/ikigai-background-\w+/.exec(answer)?.[0];

describe.skipIf(!hasBubblewrap)("a job in the sandbox (needs bwrap)", () => {
  test("answers later calls, prints to a log that they see, and ends when one of them says so", async () => {
    const { answers } = await answersTo(
      [
        start,
        () => ({ command: "curl -sS --retry 9 --retry-connrefused http://localhost:8123" }),
        (first) => ({
          command: `cd ${directoryIn(first)}; cat output.log; touch stop; until [ -s exit_code ]; do sleep 0.1; done; cat exit_code`,
        }),
        () => ({ command: "curl -sS http://localhost:8123" }),
      ],
      ...["--permission-mode", "auto"],
    );
    expect(answers).toMatchObject([
      { exit_code: 0, output: expect.stringContaining("until ikigai ends") },
      { exit_code: 0, output: expect.stringMatching(/served$/) },
      { exit_code: 0, output: "listening\n7" },
      { exit_code: 7 },
    ]);
  });

  test("ends with ikigai, which says so", async () => {
    const { answers, stderr } = await answersTo([start, () => ({ command: "true" })], "--permission-mode", "auto");
    const [job] = answers;
    expect(Number(job?.pid)).toBeGreaterThan(1);
    await expect.poll(() => isRunning(Number(job?.pid))).toBe(false);
    expect(stderr).toBe(`Ends with ikigai: exec node -e ' (process ${job?.pid})\n`);
  });

  test("runs in plan mode, too, and changes nothing", async () => {
    const command = "touch made; echo ready; exec sleep 60";
    const look = (first: string) => ({ command: `cat ${directoryIn(first)}/output.log; ls` });
    const { answers } = await answersTo([() => ({ command, background: true }), look], "--permission-mode", "plan");
    expect(answers[1]?.output).toMatch(/^touch: [^\n]*Read-only file system\nready$/);
  });

  test("one that ends at once is answered as a command", async () => {
    const { answers } = await answersTo(
      [() => ({ command: "echo x; exit 3", background: true }), () => ({ command: "ls /tmp" })],
      ...["--permission-mode", "auto"],
    );
    expect(answers).toMatchObject([{ exit_code: 3, output: "x" }, { exit_code: 0 }]);
    expect(answers[1]?.output).not.toContain("background");
  });

  test("is refused where each call has a process of its own", async () => {
    const { report } = await (
      await agentsWorld({ GO: [{ calls: [{ name: "bash", arguments: start() }] }, { text: "x" }] })
    ).run("GO", ["--permission-mode", "auto"], { env: { IKIGAI_NO_SERVE: "1" } });
    expect(report.tool_calls[0]?.envelope.result).toMatchObject({
      exit_code: 127,
      output: expect.stringContaining("the sandbox ends with this call"),
    });
  });
});
