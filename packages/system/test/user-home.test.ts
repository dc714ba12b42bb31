import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { fromUserHome, userHome } from "../src/index.ts";

test.each([
  ["/home/a", "/home/a"],
  ["", undefined],
  [".", undefined],
  ["a", undefined],
  [undefined, userInfo().homedir],
])("with HOME=%j, the home directory is %j", (HOME, home) => {
  expect(userHome({ HOME })).toBe(home);
});

test.each([
  ["~/a/b.png", "/home/a", "/home/a/a/b.png"],
  ["~/", "/home/a", "/home/a"],
  ["~", "/home/a", "~"],
  ["~b/c", "/home/a", "~b/c"],
  ["a/~/b", "/home/a", "a/~/b"],
  ["~/a", "home", "~/a"],
])("%s with HOME=%s is %s", (path, HOME, expanded) => {
  expect(fromUserHome(path, { HOME })).toBe(expanded);
});
