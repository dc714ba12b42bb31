import { type CallEnd, type CallOptions, call, ownExecutable, type TreeEntry, tempDir } from "@ikigai/testing";

/** The built executable. */
export const bin = ownExecutable(import.meta.url);

/** Empty files, and directories for names that end in `/`, in a temporary directory. */
export function treeOf(...names: readonly string[]): Promise<string> {
  return tempDir(Object.fromEntries(names.map((name): [string, TreeEntry] => [name, ""])));
}

/** Calls the tool in a directory. */
export function find(cwd: string, input: object, options: CallOptions = {}): Promise<CallEnd> {
  return call(bin, input, { cwd, ...options });
}

/** A successful answer with these paths. */
export function answer(...paths: readonly string[]): Pick<CallEnd, "exitCode"> & { result: object } {
  return { exitCode: 0, result: { output: paths.join("\n"), count: paths.length } };
}
