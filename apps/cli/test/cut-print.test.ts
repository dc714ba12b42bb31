// @module-tag sampled
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

test.each([
  ["length", "ikigai: The response is incomplete: it reached the model's output limit (max tokens).\n"],
  ["content_filter", "ikigai: The model refused to respond, or the provider's content filter stopped the response.\n"],
  ["brand_new", "ikigai: The response may be incomplete: it ended for an unknown reason.\n"],
])("exits 1 and says why when an answer ends with %s", async (finish, told) => {
  const { env } = await startModel([{ text: "half", finish }]);
  const { exitCode, stdout, stderr } = await ikigai(["-p", "go", "--model", "openai-compatible/m"], { env });
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 1, stdout: "half\n", stderr: told });
});
