import { type CallEnd, type CallOptions, call, ownExecutable } from "@ikigai/testing";

/** The built executable. */
export const bin = ownExecutable(import.meta.url);

/** Runs a shell command through the tool. */
export function run(command: string, options?: CallOptions): Promise<CallEnd> {
  return call(bin, { command }, options);
}

/** A successful answer. */
export function answer(output: string, exitCode = 0): Pick<CallEnd, "exitCode"> & { result: object } {
  return { exitCode: 0, result: { output, exit_code: exitCode } };
}
