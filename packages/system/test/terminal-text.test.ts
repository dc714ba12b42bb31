import { expect, test } from "vitest";
import { TerminalText } from "../src/index.ts";

function shown(text: string, pieceLength = text.length): string {
  const terminal = new TerminalText();
  let done = "";
  for (let at = 0; at < text.length; at += pieceLength) done += terminal.push(text.slice(at, at + pieceLength));
  return done + terminal.end();
}

test.each([
  ["plain\ttext \n", "plain\ttext \n"],
  ["\u001b[1;38;2;1;2;3mx\u001b[m\u009b4my", "xy"],
  ["\u001b]0;title\u0007\u001b]8;;http://a\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["\u001bPq#0;2\u001b\\\u001b_Gi=1;AAAA\u001b\\after", "after"],
  ["\u001b(B\u001b7\u001b=x\u001bM", "x"],
  ["1%\r22%\r333%\nnext", "333%\nnext"],
  ["long line\rab\n", "abng line\n"],
  ["wait...\r       \rok\n", "ok\n"],
  ["a\r\nb\r\n\r\n", "a\nb\n\n"],
  ["abc\b\bX\n", "aXc\n"],
  ["abc\u001b[2DX\u001b[5G!\u001b[2Cy\n", "aXc !  y\n"],
  ["abc\u001b[2K\rd\n", "d\n"],
  ["🎉é\rx\n", "xé\n"],
  ["\u001b]never ends\nx", "]never ends\nx"],
  ["\u001b", ""],
  ["a\u0000b\u0007\u000e", "a\u0000b"],
])("shows %j as %j, however it arrives", (text, expected) => {
  for (const pieceLength of [text.length, 1, 2, 3]) expect(shown(text, pieceLength)).toBe(expected);
});

test("keeps a long line, and takes linear time", () => {
  expect(shown(`${"x".repeat(10_000)}\n`)).toBe(`${"x".repeat(10_000)}\n`);
  const startMs = performance.now();
  expect(shown(`${"x".repeat(4_000)}${"\rx".repeat(300_000)}`, 65_536)).toBe("x".repeat(4_000));
  expect(shown("\u001b]".repeat(200_000), 65_536).length).toBeLessThan(400_000);
  expect(performance.now() - startMs).toBeLessThan(10_000);
});
