import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as protocol from "../src/index.ts";

const pages = ["protocol.md", "protocol-answers.md", "protocol-processes.md", "protocol-host.md"];
const page = pages.map((name) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8")).join("");

test.each([
  ["a schema's time", `within ${protocol.schemaTimeoutMs / 1000} second`],
  ["a schema's size", `${protocol.maxSchemaBytes.toLocaleString("en")} bytes`],
  ["a call's time", `A call has ${protocol.defaultTimeoutMs / 1000} seconds`],
  ["the longest time a tool may ask for", `at most ${protocol.maxTimeoutMs.toLocaleString("en")} `],
  ["an answer's size", `${protocol.defaultMaxOutputBytes.toLocaleString("en")} bytes of an answer`],
  ["the largest answer a tool may ask for", `at most ${protocol.maxMaxOutputBytes.toLocaleString("en")} `],
  ["the wait for stdout", `${protocol.drainMs} ms after it exited`],
  ["the wait for SIGTERM", `${protocol.graceMs / 1000} seconds later SIGKILL`],
  ["what is kept of an answer", `After ${protocol.maxOverflowBytes / 1_048_576} MiB`],
  ["what is shown of a failure", `up to ${protocol.maxFailureStreamBytes.toLocaleString("en")} bytes each`],
  ["the size of a request", `A line has at most ${protocol.maxHostLineBytes.toLocaleString("en")} bytes`],
  ["the number of requests", `After ${protocol.maxHostRequests} requests`],
  ["the time for an answer", `within ${protocol.maxQuestionMs / 60_000} minutes`],
  ["the size of a question", `text of 1 to ${protocol.maxQuestionBytes.toLocaleString("en")} bytes`],
  [
    "the options of a question",
    `${protocol.minOptions} to ${protocol.maxOptions} different texts of 1 to ${protocol.maxOptionBytes} bytes`,
  ],
  ["the size of an answer to a question", `at most ${protocol.maxAnswerLength.toLocaleString("en")} characters, or`],
  ["the protocol's version", `\nVersion ${protocol.protocolVersion}.`],
  ["the names of tools", protocol.toolNamePattern.source.slice(1, -1)],
])("the protocol states %s as in the constants", (_what, sentence) => {
  expect(page.replaceAll(/\s*\n\s*/g, "\n").replaceAll("\n", " ")).toContain(sentence.replace("\n", " "));
});
