import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, homeVariables, site, siteOf } from "./site.ts";

test.each([400, 403, 404, 410, 429, 500, 503])("answers HTTP_ERROR with the status %i and the text", async (status) => {
  const { fetch, origin } = await siteOf("<p>Not <b>here</b></p>", "text/html", status);
  const { exitCode, result } = await fetch({ url: "/x" });
  expect(exitCode).toBe(0);
  expect(result).toMatchObject({ error_code: "HTTP_ERROR", status, text: expect.stringMatching(/^Not .*here/) });
  expect(result?.error).toContain(`${origin}/x responded with ${status}`);
});

test("shows 2 KiB of the text of an error, cut between characters", async () => {
  for (const [body, text] of [
    ["x".repeat(2_048), "x".repeat(2_048)],
    ["x".repeat(2_049), "x".repeat(2_048)],
    [`${"x".repeat(2_047)}é`, "x".repeat(2_047)],
    ["日".repeat(100_000), "日".repeat(682)],
    ["a\u202eb", "ab"],
  ]) {
    const { fetch } = await siteOf(body ?? "", "text/plain", 500);
    expect((await fetch({ url: "/" })).result?.text).toBe(text);
  }
  const { fetch } = await siteOf("\x89PNG", "image/png", 404);
  expect((await fetch({ url: "/" })).result).not.toHaveProperty("text");
});

test("answers with the location of another host", async () => {
  const { fetch } = await site(
    (_, response) => void response.writeHead(302, { location: "https://evil.example/x" }).end(),
  );
  const { exitCode, result } = await fetch({ url: "/" });
  expect([exitCode, result]).toEqual([
    0,
    {
      error: expect.stringContaining("evil.example"),
      error_code: "REDIRECT_TO_OTHER_HOST",
      location: "https://evil.example/x",
      hint: expect.any(String),
    },
  ]);
});

test.each([
  ["file:///etc/passwd", "INVALID_URL"],
  ["https://me:secret@example.com/", "INVALID_URL"],
  [`https://example.com/${"a".repeat(2_048)}`, "INVALID_URL"],
  ["http://169.254.169.254/latest/", "BLOCKED_ADDRESS"],
  ["http://[::ffff:169.254.169.254]/", "BLOCKED_ADDRESS"],
  ["http://nothing.invalid/", "DNS_FAILED"],
])("answers for %s with the code %s", async (url, code) => {
  const { exitCode, result } = await call(bin, { url }, { env: homeVariables(await tempDir({ "tmp/": "" })) });
  expect([exitCode, result?.error_code]).toEqual([0, code]);
  expect(JSON.stringify(result)).not.toContain("secret");
});

test("names a port that no program listens on", async () => {
  const env = { ...homeVariables(await tempDir({ "tmp/": "" })), IKIGAI_WEB_ALLOW: "127.0.0.1:9" };
  expect((await call(bin, { url: "http://127.0.0.1:9/" }, { env })).result).toMatchObject({
    error_code: "CONNECT_FAILED",
  });
});

test("answers before the host's time is over", async () => {
  const { fetch } = await site(() => {});
  const startMs = performance.now();
  const { exitCode, result } = await fetch({ url: "/" }, { env: { IKIGAI_TIMEOUT_MS: "1000" } });
  expect([exitCode, result?.error_code]).toEqual([0, "TIMEOUT"]);
  expect(performance.now() - startMs).toBeLessThan(5_000);
});

test("rejects arguments of the wrong type", async () => {
  expect(await call(bin, { url: {} })).toMatchObject({ exitCode: 0, result: { error_code: "INVALID_PARAMS" } });
  expect(await call(bin, {})).toMatchObject({ exitCode: 1, stdout: "" });
});
