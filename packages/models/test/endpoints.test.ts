import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { expect, test } from "vitest";
import { modelServer } from "../../agent/test/model-server.ts";
import { hear } from "../../agent/test/providers.ts";
import { sdkModel } from "../src/formats.ts";
import { knownServer, profileOf } from "../src/server-profiles.ts";

test("requests in turn share endpoints, requests at the same time do not", async () => {
  const server = await modelServer({ text: "Hello" });
  const skips: ((kind: string) => void)[] = [];
  const model = sdkModel({
    context: { provider: "p", title: "P", model: "m", keyAdvice: "", secrets: [] },
    server: knownServer(profileOf({ provider: "p" })),
    routes: (onSkip) => {
      skips.push(onSkip);
      return [createOpenAICompatible({ name: "p", baseURL: `${server.url}/v1` })("m")];
    },
  });
  const skippedIn = async () => (await hear(model)).events.filter(({ type }) => type === "skipped");
  await hear(model);
  await hear(model);
  expect(skips).toHaveLength(1);
  const both = [skippedIn(), skippedIn()];
  skips[0]?.("first");
  skips[1]?.("second");
  expect(await Promise.all(both)).toEqual([
    [{ type: "skipped", kinds: { first: 1 } }],
    [{ type: "skipped", kinds: { second: 1 } }],
  ]);
  expect(skips).toHaveLength(2);
  expect(await skippedIn()).toEqual([]);
});
