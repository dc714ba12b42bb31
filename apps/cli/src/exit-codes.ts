/** What `ikigai` exits with. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A bug in ikigai itself; sysexits' EX_SOFTWARE. */
  bug: 70,
  /** 128 and the signal's number, as shells have it. */
  hangup: 129,
  interrupted: 130,
  brokenPipe: 141,
  terminated: 143,
} as const;
