/** Nobody else's business: what the host keeps about a user is theirs alone. */
export const privateDirectoryMode = 0o700;
export const privateFileMode = 0o600;
