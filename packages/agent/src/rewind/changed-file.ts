/** A file changed by calls since a message. */
export interface ChangedFile {
  readonly path: string;
  /** The file with its old content; `null` if it did not exist. */
  readonly kept: string | null;
  /** Whether something other than the last call has changed it since. */
  readonly isChangedSince: boolean;
  /** Identifies its directory; absent in old sessions. */
  readonly parent: string | undefined;
  /** Its mode and owner before the first call. */
  readonly mode: number | undefined;
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  /** The session's working directory, symlinks resolved. */
  readonly projectDir: string;
  /** The session's log. */
  readonly logPath: string;
}
