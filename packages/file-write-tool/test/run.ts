import { copyFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { type CallEnd, type CallOptions, call, ownExecutable, tempDir } from "@ikigai/testing";

/** The built executable. */
export const bin = ownExecutable(import.meta.url);

/** Writes `content` to `file_path`. */
export function write(filePath: string, content: string, options?: CallOptions): Promise<CallEnd> {
  return call(bin, { file_path: filePath, content }, options);
}

/** A successful answer. */
export function answer(name: string, bytes: number, more: object = {}): object {
  return { exitCode: 0, result: { output: `Wrote ${bytes} bytes to ${name}`, bytes, ...more } };
}

/** A failed operation. */
export function failure(error: string, errorCode: string, hint?: unknown): object {
  return { exitCode: 0, result: { error, error_code: errorCode, ...(hint !== undefined && { hint }) } };
}

/** Whether this test may mount, change owners and become another user. */
export const isRoot = process.getuid?.() === 0;

/** An executable that runs the tool as the user and group "nobody". */
export async function asNobody(): Promise<string> {
  const dir = await tempDir({
    "nobody-tool": '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups "$0-write" "$@"\n',
  });
  copyFileSync(bin, `${dir}/nobody-tool-write`);
  await chmod(dir, 0o755);
  return `${dir}/nobody-tool`;
}
