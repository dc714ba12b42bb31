import { type CallEnd, type CallOptions, call, ownExecutable } from "@ikigai/testing";

/** The built executable. */
export const bin = ownExecutable(import.meta.url);

/** Reads `file_path`, or some of its lines. */
export function read(input: object, options?: CallOptions): Promise<CallEnd> {
  return call(bin, input, options);
}

/** A successful answer. */
export function answer(output: string, linesRead: number, more: object = {}): object {
  return { exitCode: 0, result: { output, lines_read: linesRead, ...more } };
}

/** A failed operation. */
export function failure(error: string, errorCode: string, hint?: unknown): object {
  return { exitCode: 0, result: { error, error_code: errorCode, ...(hint !== undefined && { hint }) } };
}
