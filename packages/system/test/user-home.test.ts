import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { fromUserHome, pathAsMeant, userHome } from "../src/index.ts";

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

test.each([
  ["~/a", "/home/a/a"],
  ["~", "/home/a"],
  ["./~/a", "./~/a"],
  ["~b/c", "~b/c"],
  ["file:///a%20b", "/a b"],
  ["file:///a%2Fb", "file:///a%2Fb"],
  ["file://host/a", "file://host/a"],
  ["file:a", "file:a"],
])("a path that a model writes as %s is %s", (path, meant) => {
  expect(pathAsMeant(path, { HOME: "/home/a" })).toBe(meant);
});
