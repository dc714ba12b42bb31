import type { TrustStatus } from "../registry/registry.ts";

/** A file below a project's `.ikigai/`, or of its skills beside it. */
export interface TrustedFile {
  /** Relative to `.ikigai/`, for instance `tools/build-tool` or `../.claude/skills/pdf/SKILL.md`. */
  readonly path: string;
  /** SHA-256 of the content, in hexadecimal; for a link, of its target. Empty if there is no content (a FIFO, a broken link). */
  readonly sha256: string;
  /** File type, mode and link target: `file 755`, `link to ../x, file 755`, … Part of what is trusted. */
  readonly kind: string;
  /** For a link, the real path of its target. */
  readonly realPath?: string;
  /** How it differs from what the user trusted. */
  readonly change?: "new" | "changed" | "removed";
}

/** A project's files and whether the user trusts them. */
export interface TrustReport {
  /** Whether the user trusts the project in its current state. */
  readonly status: TrustStatus;
  /** The absolute path of the project's `.ikigai/`, without symbolic links. */
  readonly dir: string;
  /**
   * Sorted by path. Includes removed files. With status `untrusted`, `change` is there if the user has trusted some of the files:
   * those that they added themselves.
   */
  readonly files: readonly TrustedFile[];
  /** Why it cannot be trusted: too many files, an unreadable file, or decisions of the user that cannot be read. Sentences. */
  readonly problem?: string;
}

/** How to say that a project's files are not used because of trust: the end of a sentence. */
export function untrustedWords(trust: TrustStatus): string {
  return trust === "changed" ? "no longer trusted (files changed)" : "not trusted";
}
