import { onTestFinished } from "vitest";
// biome-ignore lint/correctness/useImportExtensions: JavaScript, for the benchmarks.
import { type CallingModel, type ModelOptions, startModelServer } from "../src/commands/tool/export/model-server.mjs";

/** Starts a model server that speaks the wire formats of all agents; it ends with the test. */
export async function startCallingModel(options: ModelOptions): Promise<CallingModel> {
  const server = await startModelServer(options);
  onTestFinished(() => server.close());
  return server;
}
