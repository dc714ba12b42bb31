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

/** What it does. */
export interface ModelOptions {
  /** How many calls it makes. */
  readonly calls: number;
  /** Chooses a call. */
  readonly shell: (tools: readonly ModelTool[], number: number) => ModelCall;
}

export function startModelServer(options: ModelOptions): Promise<CallingModel>;
