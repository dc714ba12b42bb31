/** Data about a user is accessible to that user only. */
export const privateDirectoryMode = 0o700;
export const privateFileMode = 0o600;
