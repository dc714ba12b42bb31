import type { TrustStatus } from "../registry/registry.ts";

/** A file below a project's `.ikigai/`. */
export interface TrustedFile {
  /** Relative to `.ikigai/`, for instance `tools/build-tool`. */
  readonly path: string;
  /** Of the content; of a link, the content of its target. Empty for what has no content (a FIFO, a dangling link). */
  readonly sha256: string;
  /** What the file system says of it: `file 755`, `link to ../x, file 755`, … Part of what is trusted. */
  readonly kind: string;
  /** Where the content is, if a link leads there. */
  readonly realPath?: string;
  /** How it differs from what was trusted. */
  readonly change?: "new" | "changed" | "removed";
}

/** What a project brings, and how the user stands to it. */
export interface TrustReport {
  readonly status: TrustStatus;
  /** The project's `.ikigai/`, by the project's real path. */
  readonly dir: string;
  /** Sorted by path. With status `changed` the removed ones are among them. */
  readonly files: readonly TrustedFile[];
  /** Why it cannot be trusted, if it cannot: too many files, one that cannot be read. One sentence. */
  readonly problem?: string;
}
