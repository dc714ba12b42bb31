import { pathToFileURL } from "node:url";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, read } from "./run.ts";

const spelled = "Shot 10.30\u202fAM.png";

test.each([
  [
    "another white space",
    spelled,
    "Shot 10.30 AM.png",
    "This is 'Shot 10.30\u202fAM.png' (with U+202F, not a space): there is no 'Shot 10.30 AM.png'.",
  ],
  [
    "another normal form",
    "cafe\u0301.txt",
    "caf\u00e9.txt",
    "This is 'cafe\u0301.txt' (in another Unicode normalization form): there is no 'caf\u00e9.txt'.",
  ],
  ["two spaces", "a  b.txt", "a b.txt", "This is 'a  b.txt': there is no 'a b.txt'."],
  ["wide letters", "ｖ２.txt", "v2.txt", "This is 'ｖ２.txt': there is no 'v2.txt'."],
])("reads and names the only file whose name has %s", async (_, name, file_path, hint) => {
  const cwd = await tempDir({ [name]: "text", "other.txt": "", "sub/": "" });
  expect(await read({ file_path }, { cwd })).toEqual(answer("text", 1, { hint }));
  expect(await read({ file_path: `../${cwd.split("/").at(-1)}/${file_path}` }, { cwd })).toEqual(
    answer("text", 1, { hint }),
  );
});

test("reads the file of exactly this name if there are both", async () => {
  const cwd = await tempDir({ [spelled]: "other", "Shot 10.30 AM.png": "text" });
  expect(await read({ file_path: "Shot 10.30 AM.png" }, { cwd })).toEqual(answer("text", 1));
});

test("reads paths below the home and URLs of files", async () => {
  const cwd = await tempDir({ "a b.txt": "text" });
  const env = { HOME: cwd };
  expect(await read({ file_path: "~/a b.txt" }, { cwd: "/", env })).toEqual(answer("text", 1));
  expect(await read({ file_path: pathToFileURL(`${cwd}/a b.txt`).href }, { cwd: "/" })).toEqual(answer("text", 1));
});
