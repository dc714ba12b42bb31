import { expect, test } from "vitest";
import { readName } from "../src/names.ts";

test.each([
  ["weather", "weather-tool", "weather-tool", "weather", "weather"],
  ["weather-tool", "weather-tool", "weather-tool", "weather", "weather"],
  ["my_weather", "my-weather-tool", "my-weather-tool", "my-weather", "my_weather"],
  ["@acme/my-weather", "@acme/my-weather-tool", "my-weather-tool", "my-weather", "my_weather"],
  ["a".repeat(64), `${"a".repeat(64)}-tool`, `${"a".repeat(64)}-tool`, "a".repeat(64), "a".repeat(64)],
])("reads %s", (wanted, packageName, file, folder, name) => {
  expect(readName(wanted)).toEqual({ package: packageName, file, folder, name });
});

test.each([
  ["My Weather", "my-weather"],
  ["1st", "st"],
  ["bätter", "batter"],
  ["a/../b", "a-b"],
  ["@acme/My Weather", "@acme/my-weather"],
  ["a".repeat(65), "a".repeat(64)],
])("suggests a valid name for %j", (wanted, better) => {
  expect(readName(wanted)).toEqual({
    problem: expect.stringMatching(`^Invalid name .* Try: ${better}$`),
    suggestion: better,
  });
});

test.each(["@acme/", "@acme/-tool"])("says that %j has a scope and no name", (wanted) => {
  expect(readName(wanted)).toEqual({
    problem: `Missing the name after the scope: "${wanted}". Try: @acme/weather-tool`,
  });
});

test.each(["", "-", "1", "ツール"])("has no suggestion for %j", (wanted) => {
  expect(readName(wanted)).toEqual({ problem: expect.stringMatching(/^Invalid name .* starting with a letter\.$/) });
});
