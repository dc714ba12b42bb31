// Promise 4 of SECURITY.md.
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openProjectUndo } from "../src/rewind/undo.ts";

test("undo says that it needs git", async () => {
  const [projectDir, home] = [await tempDir(), await tempDir()];
  await expect(openProjectUndo({ projectDir, home, env: { PATH: "/nonexistent" } })).rejects.toMatchObject({
    code: "undo_unavailable",
    message: "Undo needs git, which is not on your PATH.",
  });
});
