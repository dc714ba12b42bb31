import { rmSync } from "node:fs";
import { toImage } from "@ikigai/session";
import { expect, test } from "vitest";
import { agent, noticesIn, readSessionMessages } from "./agent-setup.ts";
import { modelServer, status } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const image = toImage(pixel);
const images = image ? [image] : [];

test("recognises an image by its content", () => {
  expect(image?.mediaType).toBe("image/png");
  expect(toImage(Buffer.from("\xff\xd8\xff\xe0", "latin1"))?.mediaType).toBe("image/jpeg");
  expect(toImage(Buffer.from("GIF89a"))?.mediaType).toBe("image/gif");
  expect(toImage(Buffer.from("RIFF\0\0\0\0WEBPVP8 "))?.mediaType).toBe("image/webp");
  for (const bytes of ["", "<svg/>", "PNG", "RIFF\0\0\0\0WAVE"]) expect(toImage(Buffer.from(bytes))).toBeUndefined();
  expect(toImage(Buffer.concat([pixel, Buffer.alloc(5_000_000)]))).toBeUndefined();
});

test.each(providers)("sends an image to $name, also after the session is resumed", async (provider) => {
  const one = await agent({});
  const server = await modelServer({ text: "A dot." });
  await one.say(await modelOf(provider, server.url), { text: "What is this?", images });
  expect(JSON.stringify(server.requests[0]?.body)).toContain(pixel.toString("base64"));
  expect(one.log().find(({ type }) => type === "user")).toMatchObject({
    images: [{ mediaType: "image/png", path: expect.stringMatching(/\.files\/[0-9a-f]{16}\.png$/) }],
  });
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
});

test("asks a model that rejects images without them from then on", async () => {
  const one = await agent({});
  const refusal = status(400, {
    type: "error",
    error: { type: "invalid_request_error", message: "no images, please" },
  });
  const server = await modelServer(refusal, { text: "I see nothing." });
  const [anthropic] = providers;
  const model = await modelOf(anthropic, server.url);
  const { end, events } = await one.say(model, { text: "What is this?", images });
  expect(end).toMatchObject({ reason: "done", text: "I see nothing." });
  expect(noticesIn(events)).toEqual([
    expect.stringMatching(/no images, please.* Retrying without the images and documents\./),
  ]);
  expect(JSON.stringify(server.requests[1]?.body)).toContain("[An image was left out.]");
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
});

const refused = (message: string) => ({ type: "error", error: { type: "invalid_request_error", message } });
const openaiRefusal = (code: string, message: string) => ({ error: { message, type: code, code } });

test.each([
  ["billing", 429, openaiRefusal("insufficient_quota", "You exceeded your current quota.")],
  ["billing with status 400", 400, refused("Your credit balance is too low to access the API.")],
  ["an unknown model", 404, refused("model: claude-nonsense")],
])("keeps the images after an error about %s, which is not retried", async (_, code, body) => {
  const one = await agent({});
  const server = await modelServer(status(code, body));
  const [anthropic] = providers;
  const { end, events } = await one.say(await modelOf(anthropic, server.url), { text: "What is this?", images });
  expect([end.reason, server.requests.length, noticesIn(events)]).toEqual(["failed", 1, []]);
  expect(one.log().map(({ type }) => type)).not.toContain("drop_images");
  expect(JSON.stringify(readSessionMessages(one))).toContain(pixel.toString("base64"));
});

test("retries without the images after a 404 that names them", async () => {
  const one = await agent({});
  const server = await modelServer(status(404, refused("No endpoints found that support image input")), {
    text: "Hm.",
  });
  const [anthropic] = providers;
  const { end } = await one.say(await modelOf(anthropic, server.url), { text: "What is this?", images });
  expect(end).toMatchObject({ reason: "done", text: "Hm." });
});

test("keeps the images if the request without them is rejected too", async () => {
  const one = await agent({});
  const refusal = status(400, refused("thinking: unknown field"));
  const server = await modelServer(refusal, refusal, { text: "A dot." });
  const [anthropic] = providers;
  const model = await modelOf(anthropic, server.url);
  expect((await one.say(model, { text: "What is this?", images })).end.reason).toBe("failed");
  expect(JSON.stringify(server.requests[1]?.body)).toContain("[An image was left out.]");
  expect(one.log().map(({ type }) => type)).not.toContain("drop_images");
  await one.say(model, { text: "And now?" });
  expect(JSON.stringify(server.requests[2]?.body)).toContain(pixel.toString("base64"));
});

test("leaves out only the image whose file is missing after a resume", async () => {
  const one = await agent({});
  const server = await modelServer({ text: "A dot." });
  const [anthropic] = providers;
  await one.say(await modelOf(anthropic, server.url), { text: "What is this?", images });
  rmSync(`${one.conversation.log.path}`.replace(/\.jsonl$/, ".files"), { recursive: true });
  expect(readSessionMessages(one)[0]).toEqual({ role: "user", text: "What is this?\n[An image was left out.]" });
});
