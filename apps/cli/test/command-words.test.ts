import { ikigaiCommands } from "@ikigai/agent/internal";
import { expect, test } from "vitest";
import { commands } from "../src/args/commands.ts";

test("the check of a model's commands knows the commands of ikigai", () => {
  const words = Object.keys(commands).map((name) => name.split(" ")[0]);
  expect(new Set(words)).toEqual(new Set([...ikigaiCommands].filter((word) => word !== "version")));
});
