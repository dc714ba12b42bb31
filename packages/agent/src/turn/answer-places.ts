import { closeSync, fstatSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { dataDirectory, type ExpectedCall, outputsDirectory, sandboxTemporaryDirectory } from "@ikigai/core/internal";
import { descriptorPath, isInside, isLinux, openRegularFile, realPathOf } from "@ikigai/system";

/** Where a call ran. */
export type CallPlace = Pick<ExpectedCall, "cwd" | "projectDir" | "home" | "sandbox" | "overflowDir">;

/** The places whose files an answer may name, and how a tool names them. */
export interface AnswerPlaces {
  /** Why none count, if so. */
  readonly problem?: string;
  readonly roots: readonly string[];
  /** What the reason calls a file elsewhere. */
  readonly outside: string;
  readonly hidden: readonly string[];
  /** Returns the path on this machine of what the tool names. */
  toHost(path: string): string;
}

/**
 * Returns the places of a call. The answer is a tool's word, so only its own places count: a tool in the sandbox must not show what
 * it cannot read.
 *
 * @param withTemporary whether the directory for temporary files, which all programs share, counts: for the user, not for the model.
 */
export function placesOf(
  tool: RegisteredTool,
  { cwd, projectDir, home, sandbox, overflowDir }: CallPlace,
  { withTemporary = false } = {},
): AnswerPlaces {
  const dataDir = home === undefined ? undefined : dataDirectory(tool, { home, projectDir });
  const outputs = outputsDirectory(tool, { overflowDir });
  const own = [projectDir, ...[dataDir, outputs].flatMap((directory) => directory ?? [])];
  const temporary = sandbox ? sandboxTemporaryDirectory() : overflowDir;
  const shared = withTemporary && !sandbox ? [tmpdir()] : [];
  const roots = [...own, ...(temporary === undefined ? [] : [temporary]), ...shared].map(realPathOf);
  // On Linux the sandbox mounts its own directory over these.
  const replaced = sandbox && isLinux ? ["/tmp", "/var/tmp", tmpdir()] : [];
  return {
    ...(tool.launcher && { problem: "the tool runs elsewhere" }),
    roots,
    outside: `it is outside the project, the tool's data directory and the ${withTemporary ? "" : "session's "}temporary directory`,
    hidden: (sandbox?.hidden ?? []).map(realPathOf),
    toHost(path) {
      const file = resolve(cwd, path);
      const above = replaced.find((directory) => isInside(file, directory));
      const isOwn = [...own, ...roots].some((root) => isInside(file, root));
      return above === undefined || isOwn ? file : `${temporary}${file.slice(above.length)}`;
    },
  };
}

/** A file that an answer names. */
export interface NamedFile {
  readonly bytes: Buffer;
  /** Its real path on this machine. */
  readonly path: string;
}

/** Opens and reads a file once; returns why it does not count instead: the end of a sentence. Never blocks on a FIFO. */
export function readNamedFile(path: string, places: AnswerPlaces, maxBytes: number): NamedFile | string {
  if (places.problem !== undefined) return places.problem;
  const named = places.toHost(path);
  const tooLarge = `it is larger than ${maxBytes / 1_048_576} MiB`;
  let fd: number | undefined;
  try {
    const found = realpathSync.native(named);
    if (!mayShow(found, places)) return places.outside;
    fd = openRegularFile(found);
    if (fd === undefined) return "it is not a regular file";
    const opened = descriptorPath(fd);
    // The tool may still be running and replace a directory on the way with a symlink.
    const real = opened === undefined ? realpathSync.native(found) : readlinkSync(opened);
    if (real !== found) return "it was replaced while it was read";
    if (fstatSync(fd).size > maxBytes) return tooLarge;
    const bytes = readFileSync(fd);
    return bytes.length > maxBytes ? tooLarge : { bytes, path: found };
  } catch {
    return mayShow(named, places) ? "it cannot be read" : places.outside;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function mayShow(path: string, { roots, hidden }: AnswerPlaces): boolean {
  return roots.some((root) => isInside(path, root)) && !hidden.some((one) => isInside(path, one));
}
