import { setTimeout } from "node:timers/promises";
import { callTool } from "@ikigai/core";
import type { Answer, AnswerTool, ToolQuestion } from "@ikigai/permission";
import type { AskResult } from "@ikigai/protocol";
import { readRecording, recordedHost } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { createAgent } from "../src/index.ts";
import { type Agent, agent, readSessionMessages, resultsIn, shellTool } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const declared = { ikigai: { host: ["ask"] } };

/** A tool that asks a question and answers with the reply. */
const asks = (params: object) => ({
  declared,
  script: `cat > /dev/null
[ -n "$IKIGAI_HOST_METHODS" ] || { echo '{"error_code":"NO_USER","error":"no user"}'; exit; }
echo '${JSON.stringify({ id: 1, method: "ask", params })}' >&3; read -r reply <&3; printf '{"reply":%s}' "$reply"`,
});

const colour = { question: "Which colour?", options: ["red", "blue"] };

/** A user who gives these answers, and what they were asked. */
function user(...answers: AskResult[]) {
  const questions: ToolQuestion[] = [];
  let open = 0;
  const answerTool: AnswerTool = async (question) => {
    questions.push(question);
    expect(++open).toBe(1);
    await setTimeout(20);
    open--;
    return answers[questions.length - 1];
  };
  return { questions, answerTool, isOpen: () => open > 0 };
}

const call = (...ids: string[]) => ({ calls: ids.map((id) => ({ id, name: "quiz", arguments: `{"n":"${id}"}` })) });

async function quiz(params: object, ...ids: string[]) {
  const one = await agent({ quiz: asks(params) }, {}, ["sk-secret-key-of-the-user"]);
  const server = await modelServer(call(...ids), { text: "ok" });
  return { one, model: await modelOf(providers[0], server.url) };
}

const questionsIn = (one: Agent) => one.log().filter(({ type }) => type === "question");

test("puts a tool's question to the user, logs both, and gives the tool the answer", async () => {
  const { one, model } = await quiz(colour, "a");
  const { answerTool, questions } = user({ answer: "blue" });
  const { events } = await one.say(model, "go", { answerTool });
  expect(questions).toMatchObject([{ callId: "a", kind: "choice", ...colour, tool: { name: "quiz", scope: "user" } }]);
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ result: { reply: { id: 1, result: { answer: "blue" } } } });
  expect(questionsIn(one)).toMatchObject([{ id: "a", kind: "choice", ...colour, answer: "blue" }]);
  const types = one.log().map(({ type }) => type);
  expect(types.indexOf("question")).toBeLessThan(types.indexOf("tool_result"));
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
});

test("logs that the user refused", async () => {
  const { one, model } = await quiz({ question: "Sure?", kind: "confirm" }, "a");
  const { events } = await one.say(model, "go", { answerTool: user({ refused: true }).answerTool });
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ result: { reply: { result: { refused: true } } } });
  expect(questionsIn(one)).toMatchObject([{ id: "a", kind: "confirm", question: "Sure?", refused: true }]);
});

test("has no user without a way to ask", async () => {
  const { one, model } = await quiz(colour, "a");
  const { events } = await one.say(model, "go");
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ result: { error_code: "NO_USER" } });
  expect(questionsIn(one)).toEqual([]);
});

test("asks one question at a time, also of different tools and for permission", async () => {
  const { one, model } = await quiz(colour, "a", "b", "c");
  one.permission.mode = "ask";
  const { answerTool, isOpen, questions } = user({ answer: "red" }, { answer: "blue" }, { answer: "red" });
  const ask = async (): Promise<Answer> => {
    expect(isOpen()).toBe(false);
    await setTimeout(20);
    return { allow: true };
  };
  const { events } = await one.say(model, "go", { answerTool, ask });
  expect(questions).toHaveLength(3);
  expect(new Set(questions.map(({ callId }) => callId))).toEqual(new Set(["a", "b", "c"]));
  expect(resultsIn(events).every(({ envelope }) => envelope.tool_success)).toBe(true);
});

test("ends an open question when the user stops the turn, and logs no answer", async () => {
  const { one, model } = await quiz(colour, "a");
  const stop = new AbortController();
  const ended: boolean[] = [];
  const answerTool: AnswerTool = (_question, signal) =>
    new Promise((settle) => {
      signal.addEventListener("abort", () => {
        ended.push(signal.aborted);
        settle({ answer: "red" });
      });
      stop.abort();
    });
  const { end, events } = await one.say(model, "go", { answerTool, signal: stop.signal });
  expect([end.reason, ended, questionsIn(one)]).toEqual(["interrupted", [true], []]);
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ error_code: "TOOL_CANCELLED" });
});

test("removes keys from the question, and gives the tool its own option", async () => {
  const key = "sk-secret-key-of-the-user";
  const { one, model } = await quiz({ question: `Use ${key}?`, options: [`yes, ${key}`, "no"] }, "a");
  const { answerTool, questions } = user();
  const { events } = await one.say(model, "go", {
    secrets: [key],
    answerTool: async (question, signal) => {
      await answerTool(question, signal);
      return { answer: question.options[0] ?? "" };
    },
  });
  expect(JSON.stringify(questions.map(({ question, options }) => [question, options]))).not.toContain(key);
  expect(JSON.stringify(questionsIn(one))).not.toContain(key);
  expect(resultsIn(events)[0]?.json).toMatch(/"answer":"yes, (?!sk-)/);
});

test("answers the questions of a repeated call as the user did", async () => {
  const { one, model } = await quiz(colour, "a");
  await one.say(model, "go", { answerTool: user({ answer: "blue" }).answerTool });
  const { calls } = readRecording({ home: one.home, cwd: one.project, id: one.conversation.id });
  expect(calls[0]?.questions).toEqual([{ question: "Which colour?", result: { answer: "blue" } }]);
  const repeat = async (host = recordedHost(calls[0] ?? {})) => {
    const { envelope } = await callTool(one.registry, "quiz", "{}", { cwd: one.project, host });
    return envelope;
  };
  expect(await repeat()).toMatchObject({ result: { reply: { result: { answer: "blue" } } } });
  const other = recordedHost({ questions: [{ question: "Which size?", result: { answer: "8" } }] });
  expect(await repeat(other)).toMatchObject({ result: { reply: { error: { code: "NO_USER" } } } });
  expect(await repeat(recordedHost({}))).toMatchObject({ result: { error_code: "NO_USER" } });
});

test("createAgent takes the function that answers", async () => {
  const quizTool = asks(colour);
  const dir = await tempDir({
    "tools/quiz-tool": shellTool("quiz", quizTool.script, quizTool.declared),
    "home/": "",
    "project/": "",
  });
  const server = await modelServer(call("a"), { text: "ok" });
  const created = await createAgent({
    cwd: `${dir}/project`,
    home: `${dir}/home`,
    toolsDir: `${dir}/tools`,
    env: { ...process.env, ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url },
    model: "anthropic/claude-sonnet-4-5",
    permission: { mode: "allow" },
    answerTool: user({ answer: "red" }).answerTool,
  });
  const events = [];
  for await (const event of created.run("go")) events.push(event);
  await created.close();
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ result: { reply: { result: { answer: "red" } } } });
});
