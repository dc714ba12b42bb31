// @module-tag sampled
import { expect, test } from "vitest";
import { begin, modelServer, type Reply, status } from "../../../packages/agent/test/model-server.ts";
import { type Provider, providers, secret } from "../../../packages/agent/test/providers.ts";
import { ikigai } from "./ikigai.ts";

/** The bundled provider packages get streams and headers of ours; the tests of the agent run them as they are. */
async function print(provider: Provider, replies: readonly Reply[]) {
  const { url, requests } = await modelServer(...replies);
  const args = ["-p", "go", "--model", `${provider.name}/m`, "--allow", "bash"];
  const env = { [provider.key]: secret, [provider.base]: url };
  return { requests, ...(await ikigai(args, { env })) };
}

test.each(providers)("the command talks to $name", async (provider) => {
  const calls = [{ id: "c1", name: "bash", arguments: '{"command":"echo a€b"}' }];
  const { stdout, stderr, requests } = await print(provider, [
    { text: "Look: €", reasoning: "Hm.", calls },
    { text: "Hellö, wörld." },
  ]);
  expect({ stdout, stderr, asked: requests.length }).toEqual({ stdout: "Hellö, wörld.\n", stderr: "", asked: 2 });
  expect(JSON.stringify(requests[1]?.body)).toContain("a€b");
});

test.each(providers)("the command reports an error of $name", async (provider) => {
  const { exitCode, stderr } = await print(provider, [status(400, { error: { message: "no such thing" } })]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("no such thing") });
});

test.each(providers)("the command retries a response of $name that breaks off", async (provider) => {
  const { stdout, stderr, requests } = await print(provider, [
    begin({ text: "Half an answer" }, 3, (response) => setTimeout(() => response.destroy(), 50)),
    { text: "Whole." },
  ]);
  expect({ stdout, asked: requests.length }).toEqual({ stdout: "Whole.\n", asked: 2 });
  expect(stderr).toContain("Retrying");
});

test("the command sends no field of Anthropic's own to another server", async () => {
  const { stdout, requests } = await print(providers[0], [{ text: "Hi." }]);
  expect(stdout).toBe("Hi.\n");
  expect(JSON.stringify(requests[0]?.body)).not.toContain("eager_input_streaming");
});

test.each(providers)("the command fails when $name writes a call as text", async (provider) => {
  const text = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>';
  const { exitCode, stderr } = await print(provider, [{ text }]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("--enable-auto-tool-choice") });
});
