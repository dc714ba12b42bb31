import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { userHome } from "../src/index.ts";

test.each([
  ["/home/a", "/home/a"],
  ["", undefined],
  [".", undefined],
  ["a", undefined],
  [undefined, userInfo().homedir],
])("with HOME=%j, the home directory is %j", (HOME, home) => {
  expect(userHome({ HOME })).toBe(home);
});
