import { expect, test } from "vitest";
import { agent, readSessionMessages, resultsIn, unansweredIn } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const call = { calls: [{ id: "c1", name: "look", arguments: "{}" }] };

/** Returns the messages once. */
function saidMeanwhile(...texts: string[]) {
  return () => texts.splice(0).map((text) => ({ text }));
}

test.each(providers)("$name gets what the user says meanwhile at its next step", async (provider) => {
  const one = await agent({ look: `echo '{"seen": 1}'` });
  const server = await modelServer(call, { text: "Done." });
  const takeSteering = saidMeanwhile("Use tabs.", "And hurry.");
  const { end } = await one.say(await modelOf(provider, server.url), "go", { takeSteering });
  expect(end).toMatchObject({ reason: "done", text: "Done.", steps: 2 });
  const request = JSON.stringify(server.requests[1]?.body);
  expect(request.indexOf("seen")).toBeLessThan(request.indexOf("Use tabs."));
  expect(request.indexOf("Use tabs.")).toBeLessThan(request.indexOf("And hurry."));
  expect(unansweredIn(one)).toEqual([]);
});

test("answers a message sent while the last response is streaming", async () => {
  const one = await agent({});
  const server = await modelServer({ text: "First." }, { text: "Second." });
  const [anthropic] = providers;
  const { end, events } = await one.say(await modelOf(anthropic, server.url), "go", {
    takeSteering: saidMeanwhile("One more thing."),
  });
  expect(end).toMatchObject({ reason: "done", text: "Second.", steps: 2 });
  expect(events.flatMap((event) => (event.type === "user" ? [event.text] : []))).toEqual(["go", "One more thing."]);
  expect(resultsIn(events)).toEqual([]);
  expect(readSessionMessages(one).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
});

test.each(providers)("$name sees an image sent meanwhile at its next step", async (provider) => {
  const one = await agent({ look: `echo '{"seen": 1}'` });
  const server = await modelServer(call, { text: "Nice." });
  const images = [{ mediaType: "image/png", data: "iVBORw0KGgo=" }];
  const shown = [{ text: "Like this.", images }];
  await one.say(await modelOf(provider, server.url), "go", { takeSteering: () => shown.splice(0) });
  expect(JSON.stringify(server.requests[1]?.body)).toContain("iVBORw0KGgo=");
  expect(readSessionMessages(one)).toContainEqual({ role: "user", text: "Like this.", images });
});
