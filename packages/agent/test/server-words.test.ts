import { expect, test } from "vitest";
import { toModelError } from "../src/providers/to-model-error.ts";

const context = {
  provider: "anthropic",
  title: "Anthropic",
  model: "m",
  keyAdvice: "Check ANTHROPIC_API_KEY.",
  secrets: [],
} as const;

const words = "Your credit balance is too low";

test.each([
  { error: { type: "invalid_request_error", message: words } },
  { type: "error", error: { message: words } },
  { error: words },
  { message: words },
  { detail: words },
  { detail: [{ loc: ["body"], msg: words }] },
  { errors: [{ message: words }] },
  [{ error: { code: 400, message: words } }],
])("takes the server's words out of %j", (body) => {
  const failure = { message: "Bad Request", statusCode: 400, responseBody: JSON.stringify(body) };
  expect(toModelError(failure, context).message).toBe(`Anthropic refuses the request (400): ${words}`);
});

test("a 403 is no wrong key", () => {
  const body = JSON.stringify({ error: { message: "Your organization does not have access" } });
  const { code, message } = toModelError({ message: "x", statusCode: 403, responseBody: body }, context);
  expect(code).toBe("unauthorized");
  expect(message).toMatch(/^Anthropic denied access \(403\)\. .* It says: Your organization does not have access$/);
});
