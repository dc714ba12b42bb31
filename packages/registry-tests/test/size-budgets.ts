/** How large a published tarball may be, in KiB: a little above what it is. Most of the largest is the providers' SDKs. */
export const sizeBudgets = {
  "@ikigai/adapters": 6,
  "@ikigai/agent": 670,
  "@ikigai/bash-tool": 16,
  "@ikigai/cli": 950,
  "@ikigai/core": 66,
  "@ikigai/create-tool": 15,
  "@ikigai/file-edit-tool": 23,
  "@ikigai/file-read-tool": 15,
  "@ikigai/file-write-tool": 20,
  "@ikigai/glob-tool": 21,
  "@ikigai/grep-tool": 40,
  "@ikigai/posix-ere": 21,
  "@ikigai/posix-glob": 12,
  "@ikigai/protocol": 11,
  "@ikigai/testing": 145,
  "@ikigai/tool-sdk": 23,
} as const;
