/** What a shell may offer. Shells that cannot show a description leave it out. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** What is offered; `paths` says that the shell is to offer files or directories of its own. */
export interface Offer {
  readonly candidates: readonly Candidate[];
  readonly paths?: "file" | "directory";
}
