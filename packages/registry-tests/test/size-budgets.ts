/** How large a published tarball may be, in KiB: a little above what it is. Most of the largest is the providers' SDKs. */
export const sizeBudgets = {
  "@ikigai/adapters": 6,
  "@ikigai/agent": 700,
  "@ikigai/bash-tool": 15,
  "@ikigai/cli": 850,
  "@ikigai/core": 60,
  "@ikigai/create-tool": 12,
  "@ikigai/file-edit-tool": 18,
  "@ikigai/file-read-tool": 14,
  "@ikigai/file-write-tool": 15,
  "@ikigai/glob-tool": 17,
  "@ikigai/grep-tool": 32,
  "@ikigai/posix-ere": 22,
  "@ikigai/posix-glob": 11,
  "@ikigai/protocol": 6,
  "@ikigai/testing": 150,
  "@ikigai/tool-sdk": 17,
} as const;
