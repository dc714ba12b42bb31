import { onTestFinished } from "vitest";

/** A tool as an agent describes it to the model; one with members is a namespace. */
export interface ModelTool {
  readonly name: string;
  readonly members?: readonly ModelTool[];
}

/** A call that the model makes. */
export interface ModelCall {
  readonly name: string;
  readonly namespace?: string;
  readonly args: object;
}

/** A model that makes calls, then says "Done.". */
export interface CallingModel {
  readonly url: string;
  /** The bodies of the requests, in order. */
  readonly bodies: readonly object[];
  close(): void;
}

interface ModelOptions {
  /** How many calls it makes. */
  readonly calls: number;
  /** Chooses a call. */
  readonly shell: (tools: readonly ModelTool[], number: number) => ModelCall;
}

/** Starts the model server of the benchmarks, which speaks the wire formats of all agents. */
export async function startCallingModel(options: ModelOptions): Promise<CallingModel> {
  const { href } = new URL("../../../bench/model-server.mjs", import.meta.url);
  const module: { startModelServer(options: ModelOptions): Promise<CallingModel> } = await import(href);
  const server = await module.startModelServer(options);
  onTestFinished(() => server.close());
  return server;
}
