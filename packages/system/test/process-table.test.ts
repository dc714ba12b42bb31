import { expect, test } from "vitest";
import { processIdsBetween } from "../src/platform.ts";

test.runIf(process.platform === "linux")("after ids have wrapped around, all other processes may be new", () => {
  const { pid, ppid } = process;
  const found = processIdsBetween(pid, pid - 1);
  expect(found).toContain(ppid);
  expect(found).not.toContain(pid);
});
