import { realpathSync, statSync } from "node:fs";

/** What tells whether a file is still the one it was, without reading it. */
export interface FileIdentity {
  /** The path without links. */
  readonly realPath: string;
  /** Real path, device, inode, size, and the times of the last change of content and of state, in nanoseconds. */
  readonly key: string;
}

/**
 * Identifies the file that a path leads to.
 *
 * @throws the system's error (ENOENT, ELOOP, …) when it leads to none.
 */
export function identify(path: string): FileIdentity {
  const realPath = realpathSync.native(path);
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(realPath, { bigint: true });
  return { realPath, key: [realPath, dev, ino, size, mtimeNs, ctimeNs].join(":") };
}

/** Whether a path still leads to the same, unchanged file. */
export function isUnchanged(path: string, identity: FileIdentity): boolean {
  try {
    return identify(path).key === identity.key;
  } catch {
    return false;
  }
}
