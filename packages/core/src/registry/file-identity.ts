/** Which file it is, and in which state: two equal identities mean the same content. */
export interface FileIdentity {
  /** Without symbolic links. */
  readonly realPath: string;
  /** Device, inode, mode, size and the times of the last change to content and to inode, in nanoseconds. */
  readonly stamp: string;
}
