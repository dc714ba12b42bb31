import { expect, test } from "vitest";
import { withoutPassword } from "../src/index.ts";

test.each([
  ["https://host/v1", "https://host/v1"],
  ["http://bob:hunter2secret@host:1/v1", "http://host:1/v1"],
  ["https://token@host/x", "https://host/x"],
  ["https://a:b@c@host/x", "https://host/x"],
  ["http://me:pass/word@host:x", "http://host:x"],
  ["me:pass@host:x", "host:x"],
  ["git@host:path/x", "git@host:path/x"],
  ["ssh://git:secret@host/x", "ssh://git@host/x"],
  ["git+ssh://git@host/x", "git+ssh://git@host/x"],
  ["https://host/@scope/x", "https://host/@scope/x"],
  ["see https://a:b@one/x and http://c:d@two", "see https://one/x and http://two"],
  ["socks5://host:1080", "socks5://host:1080"],
  ["not a URL", "not a URL"],
])("%j is shown as %j", (text, shown) => {
  expect(withoutPassword(text)).toBe(shown);
});
