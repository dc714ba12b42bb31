import { copyFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { type CallEnd, type CallOptions, call, ownExecutable, tempDir } from "@ikigai/testing";

/** The built executable. */
export const bin = ownExecutable(import.meta.url);

/** What to replace by what. */
export interface Edit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

/** Edits the file `a` of a directory. */
export function edit(
  cwd: string,
  change: Edit | { readonly edits: readonly Edit[] },
  options?: CallOptions,
): Promise<CallEnd> {
  return call(bin, { file_path: "a", ...change }, { cwd, ...options });
}

/** A successful answer. */
export function answer(output: string, replacements: number, more: object = {}): object {
  return { exitCode: 0, result: { output, replacements, ...more } };
}

/** A failed operation. */
export function failure(error: string, errorCode: string, details: object = {}): object {
  return { exitCode: 0, result: { error, error_code: errorCode, ...details } };
}

/** An executable that runs the tool as the user and group "nobody". */
export async function asNobody(): Promise<string> {
  const dir = await tempDir({
    "nobody-tool": '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups "$0-edit" "$@"\n',
  });
  copyFileSync(bin, `${dir}/nobody-tool-edit`);
  await chmod(dir, 0o755);
  return `${dir}/nobody-tool`;
}
