// @module-tag tables
import { expect, test } from "vitest";
import { toModelError } from "../src/server-errors.ts";

const context = {
  provider: "anthropic",
  title: "Anthropic",
  model: "m",
  keyAdvice: "Check ANTHROPIC_API_KEY.",
  secrets: [],
} as const;

const words = "max_tokens is too large";

/** The error for a response with this status and body. */
const told = (statusCode: number, body: object | string, message = "Bad Request") => {
  const responseBody = typeof body === "string" ? body : JSON.stringify(body);
  return toModelError({ message, statusCode, responseBody }, context);
};

test.each([
  { error: { type: "invalid_request_error", message: words } },
  { type: "error", error: { message: words } },
  { error: words },
  { message: words },
  { detail: words },
  { detail: [{ loc: ["body"], msg: words }] },
  { errors: [{ message: words }] },
  { error: { message: JSON.stringify({ error: { message: words } }) } },
  [{ error: { code: 400, message: words } }],
])("shows the server's message in %j", (body) => {
  expect(told(400, body).message).toBe(`Anthropic rejected the request (400): ${words}`);
});

test.each([
  [{ code: 17, trace: ["a", "b"] }, "Bad Request", "Bad Request"],
  ['{"error": {"message": "cut', "Bad Request", "Bad Request"],
  [[], "Bad Request", "Bad Request"],
  ["", 'upstream: {"error":{"message":"no capacity"}}', "upstream: no capacity"],
  ["", 'upstream failed: {"code":17}', "upstream failed"],
  ["", 'Invalid value at contents[0].parts["x"]', 'Invalid value at contents[0].parts["x"]'],
])("shows no JSON for %j and %j", (body, message, expected) => {
  expect(told(400, body, message).message).toBe(`Anthropic rejected the request (400): ${expected}`);
});

/** JSON in JSON strings; every level doubles the backslashes. */
const textsInTexts = Array.from({ length: 15 }).reduce<string>((inner) => JSON.stringify({ error: inner }), words);

test.each([
  ["arrays", "[".repeat(1_000_000)],
  ["closed arrays", `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`],
  ["objects", `${'{"error":'.repeat(100_000)}"${words}"${"}".repeat(100_000)}`],
  ["texts", textsInTexts],
])("survives a body of nested %s", (_, body) => {
  expect(told(500, body).message).toMatch(/^Anthropic is unavailable \(500\)/);
});

test.each([
  [401, "invalid x-api-key", "rejected the API key (401): invalid x-api-key. Check ANTHROPIC_API_KEY."],
  [400, "API key not valid.", "rejected the API key (400): API key not valid. Check ANTHROPIC_API_KEY."],
  [403, "Invalid API key", "rejected the API key (403): Invalid API key. Check ANTHROPIC_API_KEY."],
  [
    403,
    "Your organization does not have access",
    "denied access (403): Your organization does not have access. Check that your account may use m.",
  ],
])("distinguishes a bad key from a lack of access: %i %s", (status, says, expected) => {
  const { code, message } = told(status, { error: { message: says } });
  expect([code, message]).toEqual(["unauthorized", `Anthropic ${expected}`]);
});

const billing = "Check your account's plan and credit, or use another model.";

test.each<[number, string, string, string?]>([
  [400, "Your credit balance is too low to access the API.", "Anthropic reports a billing problem: ", ` ${billing}`],
  [402, "Payment required", "Anthropic reports a billing problem: ", `. ${billing}`],
  [429, "Slow down", "Rate limited by Anthropic (429): "],
  [500, "Internal server error", "Anthropic is unavailable (500): "],
  [404, "model: m", "Anthropic has no model m at this URL (404): ", ". To list the models: ikigai models"],
  [413, "Payload Too Large", "Anthropic refuses a request of this size (413): ", ". A proxy or gateway may limit it."],
  [413, "prompt is too long", "The conversation exceeds the context window of m: ", "."],
  [400, "Input is too long!", "The conversation exceeds the context window of m: "],
])("says what a %i means, and what to do: %s", (status, says, expected, advice = "") => {
  expect(told(status, { error: { message: says } }).message).toBe(`${expected}${says}${advice}`);
});

const raw = "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 272001 tokens.";

test.each([
  [{ error: { message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." } }],
  [{ error: { message: "Invalid request: Your request exceeded model token limit: 262144" } }],
  [{ error: { message: "Prompt exceeds max length", code: "1261" } }],
  [{ error: { message: "Zu lang", code: "1261" } }],
  [{ error: { message: "Zu lang", code: "context_length_exceeded" } }],
  [{ error: { message: "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]" } }],
  [
    {
      error: { message: "input length and `max_tokens` exceed context limit: 190531 + 32000 > 200000, decrease input" },
    },
  ],
  [{ error: { message: "Provider returned error", code: 400, metadata: { raw, provider_name: "OpenAI" } } }],
  [{ error: { message: "Provider returned error", metadata: { raw: JSON.stringify({ error: { message: raw } }) } } }],
  [
    {
      error: { message: "Provider returned error", metadata: { raw: '{"error":{"code":"context_length_exceeded"}}' } },
    },
  ],
])("recognises a conversation that is too long: %j", (body) => {
  expect(told(400, body).code).toBe("context_too_long");
  expect(told(429, body).code).toBe("rate_limited");
});

test.each([[JSON.stringify({ error: { message: "no such city" } })], ["no such city"]])(
  "shows the reason that OpenRouter passes on: %s",
  (inner) => {
    const { message } = told(400, {
      error: { message: "Provider returned error", code: 400, metadata: { raw: inner } },
    });
    expect(message).toBe("Anthropic rejected the request (400): no such city");
  },
);

test("does not retry a request beyond the quota, whatever the words", () => {
  const { code, message } = told(429, { error: { message: "Too much", type: "insufficient_quota" } });
  expect([code, message]).toEqual(["bad_request", `Anthropic reports a billing problem: Too much. ${billing}`]);
});

test("names a server without a name inside a sentence", () => {
  const failure = { message: "Slow down", statusCode: 429 };
  const { message } = toModelError(failure, { ...context, title: "The server at http://127.0.0.1:1" });
  expect(message).toBe("Rate limited by the server at http://127.0.0.1:1 (429): Slow down");
});

test.each([
  // Anthropic, OpenAI, Google, and servers with OpenAI's interface.
  ["tools.1.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12", "weather"],
  ["Invalid schema for function 'weather': 'strng' is not valid under any of the given schemas.", "weather"],
  ["* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x].items: missing", "weather"],
  ["Invalid 'tools[1].function.name': string does not match pattern", "weather"],
  ['tool "weather" has an invalid schema', "weather"],
  ["tools.7.custom.name: too long", undefined],
  ["Invalid schema for function 'other'", undefined],
  ["messages.1: tool_use ids must have a tool_result", undefined],
  ["parameters for tool weather did not match schema: errors: [missing properties: 'city']", undefined],
  ["Invalid value: 'weather'", undefined],
  ["tools.0.custom.eager_input_streaming: Extra inputs are not permitted", undefined],
  ["Unknown parameter: 'tools[0].strict'", undefined],
])("finds the tool that the server rejects: %s", (message, tool) => {
  const error = { message: "Bad Request", statusCode: 400, responseBody: JSON.stringify({ error: { message } }) };
  expect(toModelError(error, context, ["bash", "weather"]).tool).toBe(tool);
});

test("blames no tool for what is not about the request", () => {
  const responseBody = JSON.stringify({ error: { message: "tools.0.custom: overloaded" } });
  expect(toModelError({ statusCode: 529, responseBody }, context, ["bash"]).tool).toBeUndefined();
});
