/** A file that calls have changed since a message. */
export interface ChangedFile {
  readonly path: string;
  /** Where its old content is; `null` when there was no such file. */
  readonly kept: string | null;
  /** It is not as the last call left it: somebody else has changed it since. */
  readonly isChangedSince: boolean;
  /** Tells the directory that it was in from all others; not in old sessions. */
  readonly parent: string | undefined;
  /** Its rights and its owner before the first call. */
  readonly mode: number | undefined;
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  /** The directory that the session works in, without links. */
  readonly projectDir: string;
  /** Where sessions keep what files held. */
  readonly sessionsDir: string;
}
