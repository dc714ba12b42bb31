// Promise 6 of SECURITY.md.
import { describe, expect, test } from "vitest";
import { maxCommandLength, maxCommands, readShell } from "../src/shell/shell.ts";
import { expectLinear } from "./growth.ts";

/** The programs' words, as they receive them. */
function wordsOf(command: string): string[][] | undefined {
  return readShell(command)?.map(({ words }) => words.map(({ text }) => text));
}

describe("parses commands like a shell", () => {
  test.each<[string, string[][]]>([
    ["", []],
    ["  \n\n", []],
    ["# only a comment", []],
    ["git status", [["git", "status"]]],
    ["a;b", [["a"], ["b"]]],
    ["a && b || c | d & e;", [["a"], ["b"], ["c"], ["d"], ["e"]]],
    ["a &&\n\n  # why\n b\n", [["a"], ["b"]]],
    ["a 2>&1; b >/dev/null;c", [["a"], ["b"], ["c"]]],
    ["a &>/dev/null && b", [["a"], ["b"]]],
    ["echo 'a;b' \"c|d\" e\\&f", [["echo", "a;b", "c|d", "e&f"]]],
    [`r''m "-r"f \\x`, [["rm", "-rf", "x"]]],
    [`echo "a\\"b\\$c\\d"`, [["echo", `a"b$c\\d`]]],
    ['echo "a\\\nb" c\\\nd', [["echo", "ab", "cd"]]],
    ["a \\\n  b", [["a", "b"]]],
    // A comment ends with its line, whatever it contains.
    [
      "git status # '\ntouch x #'",
      [
        ["git", "status"],
        ["touch", "x"],
      ],
    ],
    ["a # b \\\nc", [["a"], ["c"]]],
    ["a;#b\nc", [["a"], ["c"]]],
    ["a b#c ''#d", [["a", "b#c", "#d"]]],
    // The backslash is escaped, so the line ends.
    [
      "git status \\\\\ntouch x",
      [
        ["git", "status", "\\"],
        ["touch", "x"],
      ],
    ],
    ["git status \\\\\\\ntouch x", [["git", "status", "\\touch", "x"]]],
    ["a '\\'\nb", [["a", "\\"], ["b"]]],
    // A no-break space is an ordinary character.
    ["a\u00A0b c\u3000d", [["a\u00A0b", "c\u3000d"]]],
    ["a\u00A0#b", [["a\u00A0#b"]]],
    ["[ -f x ] && b", [["[", "-f", "x", "]"], ["b"]]],
    ["find . -name {} HEAD@{1}", [["find", ".", "-name", "{}", "HEAD@{1}"]]],
    ["grep 'x$' \"y$\" z$", [["grep", "x$", "y$", "z$"]]],
    ["2>/dev/null a", [["a"]]],
    ["set -euo pipefail; a", [["set", "-euo", "pipefail"], ["a"]]],
    ["command -v node", [["command", "-v", "node"]]],
  ])("%j", (command, expected) => {
    expect(wordsOf(command)).toEqual(expected);
  });

  test("keeps a command's separator, redirections and spelling", () => {
    const word = { isPattern: false, isTilde: false, isQuoted: false };
    expect(readShell("a 2>&1 |  'b'  *.c 3< ~/d")).toEqual([
      {
        before: "",
        source: "a",
        words: [{ ...word, text: "a" }],
        redirects: [{ operator: ">&", descriptor: 2, target: { ...word, text: "1" } }],
      },
      {
        before: "|",
        source: "'b' *.c 3< ~/d",
        words: [
          { ...word, text: "b", isQuoted: true },
          { ...word, text: "*.c", isPattern: true },
        ],
        redirects: [{ operator: "<", descriptor: 3, target: { ...word, text: "~/d", isTilde: true } }],
      },
    ]);
  });

  test.each([
    ["cat x &> y", "&>", "y"],
    ["cat x &>> y; a", "&>>", "y"],
    ["ls >& f", ">&", "f"],
    ["ls >&2f", ">&", "2f"],
    ["ls 1>&f", ">&", "f"],
    ["ls <> f", "<>", "f"],
    ["ls >| f", ">|", "f"],
  ])("sees the file that bash writes: %s", (command, operator, text) => {
    expect(readShell(command)?.[0]?.redirects).toMatchObject([{ operator, target: { text } }]);
  });

  test("parses a redirection without a command as a command that runs nothing", () => {
    expect(readShell(">x; 2>/dev/null")).toMatchObject([
      { words: [], source: ">x", before: "" },
      { words: [], source: "", before: ";" },
    ]);
  });
});

describe("does not parse what shells expand, group, or read differently", () => {
  test.each([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: That is shell.
    ...'$a|${a}|$(a)|`a`|"$a"|"$(a)"|"`a`"|$\'a\'|$"a"|$((1))|"a\\\\$b"|"$\\\nb"|$1|$?|$$'.split("|"),
    ..."<<x|<<<x|<(a)|>(a)|<|>|>>|> #x|>>>x|<<-x|>&|&>|a &>x b|a &>|&>x|10>x|{fd}>x|a>b>|2\\\n>x".split("|"),
    ..."(a)|a()|a ( b )|{ a; }|{ a|a {b,c}|a x{1..3}|{}|a{}b|! a|if a|while a|for i in a|case a in|[[ a ]]|time a".split(
      "|",
    ),
    ..."function f|coproc a|select a|until a|done|'if' a|A=b|A=b c|a+=b c|a[1]=b|>x A=b c|*|./*.sh|~/x|?(a)".split("|"),
    ..."eval a|alias a=b|export A=b|trap a EXIT|let 1|declare a|unset a|read a|set -k|command eval a|builtin alias".split(
      "|",
    ),
    ..."hash -p a b|enable a|printf -v a b|[ -v 'a[$(b)]' ]|test -v 'a[`b`]'|shopt -s x".split("|"),
    ..."'a|\"a|a \\".split("|"),
    "a ;; b",
    ">&-touch x",
    // What bash alone expands, groups or connects.
    ..."cat {a,../../b}|cat a{1..3}|cat {a,b}{c,d}|{cat,a}|cat $'\\x2d-x'|$'\\x72m' x|cat $\"a\"|cat <(rm x)|rm $[1+1]".split(
      "|",
    ),
    ..."a !(b)|a @(b|c)|a=(b c)|a+=(b)|a[$(b)]=c|((a))|[[ a =~ b ]]|function a { b; }|select a in b|<<<$(a)|{a}<b".split(
      "|",
    ),
    "a |& b",
    "a <&-x",
    "; a",
    "a &&",
    "a ||",
    "a |",
    "a | | b",
    "a & & b",
    "a\n&& b",
    "a &\\\n& b",
    "a |\\\n| b",
    "a \r\nb",
    "a\u000Bb",
    "a\u0000",
    "a\u007F",
    "a\uD800",
  ])("%j", (command) => {
    expect(readShell(command)).toBeUndefined();
  });

  test("parses a command up to the length limit, and no longer one", () => {
    expect(readShell("a".repeat(maxCommandLength))).toHaveLength(1);
    expect(readShell("a".repeat(maxCommandLength + 1))).toBeUndefined();
  });

  test("parses commands up to the limit, and no more", () => {
    for (const separator of [";", "&&"]) {
      const some = Array(maxCommands).fill("a").join(separator);
      expect(readShell(some)).toHaveLength(maxCommands);
      expect(readShell(`${some}${separator}a`)).toBeUndefined();
    }
  });

  test.each(["git -c ", "a;", "\uFDFA", "a\\\n", '"', "'", "#\n", ">x ", "a \\\n ", "\\", "$ "])(
    "parses a text of %j repeated in linear time",
    (piece) => {
      for (const length of [maxCommandLength, 1_000_000]) expectLinear(readShell, piece, length);
    },
  );
});
