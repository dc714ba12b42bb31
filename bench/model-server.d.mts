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

export function startModelServer(options: {
  readonly calls: number;
  readonly thinkMs?: number;
  readonly shell: (tools: readonly ModelTool[], number: number) => ModelCall;
}): Promise<{ readonly url: string; readonly bodies: readonly object[]; close(): void }>;
