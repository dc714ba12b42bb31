import { describe, expect, test } from "vitest";
import { compile } from "../../src/ere/index.ts";

/** A pattern, texts that match, and texts that do not. */
type Case = readonly [pattern: string, matching: readonly string[], others: readonly string[]];

function check(pattern: string, matching: readonly string[], others: readonly string[], ignoreCase = false): void {
  const regex = compile(pattern, { ignoreCase });
  for (const text of matching) expect(regex.test(Buffer.from(text)), JSON.stringify(text)).toBe(true);
  for (const text of others) expect(regex.test(Buffer.from(text)), JSON.stringify(text)).toBe(false);
}

describe("every construct matches what it should and nothing else", () => {
  describe("literals and escapes", () => {
    test.each<Case>([
      ["", ["", "a"], []],
      ["}", ["}"], ["{"]],
      ["a}", ["a}"], ["a"]],
      ["a)b", ["a)b"], ["ab"]],
      ["\\{\\|\\(", ["{|("], ["|"]],
      ["\\a\\/\\-", ["a/-"], ["\\a"]],
      ["a\\.b", ["a.b"], ["axb"]],
      ["^.$", ["a", "é", "\u{1f600}", " "], ["", "ab"]],
    ])("%s", check);
  });

  describe("bracket expressions", () => {
    test.each<Case>([
      ["^[\\]$", ["\\"], ["]"]],
      ["^[\\n]$", ["\\", "n"], ["a"]],
      ["^[a-]$", ["a", "-"], ["b"]],
      ["^[-a]$", ["a", "-"], ["b"]],
      ["^[^-a]$", ["b"], ["a", "-"]],
      ["^[]-a]$", ["]", "^", "_", "a"], ["\\", "b"]],
      ["^[^]-a]$", ["\\", "b"], ["]", "_", "a"]],
      ["^[a^]$", ["a", "^"], ["b"]],
      ["^[%--]$", ["%", "+", "-"], [".", "$"]],
      ["^[%--a]$", ["%", "-", "a"], [".", "b"]],
      ["^[b-b]$", ["b"], ["a", "c"]],
      ["^[b-da-b]$", ["a", "d"], ["e"]],
      ["^[[.a.]-c]$", ["a", "b", "c"], ["d", "."]],
      ["^[a-[.c.]]$", ["b", "c"], ["d", "."]],
      ["^[[.-.]-/]$", ["-", ".", "/"], ["0", ","]],
      ["^[[.].]]$", ["]"], ["["]],
      ["^[[=é=]]$", ["é"], ["e"]],
      ["^[^[:digit:]x]$", ["a"], ["1", "x"]],
      ["^[[:alpha:]-]$", ["a", "-"], ["1", "{"]],
      ["^[.*$(|]$", [".", "*", "$", "(", "|"], ["a"]],
    ])("%s", check);
  });

  describe("anchors", () => {
    test.each<Case>([
      ["^$", [""], ["a"]],
      ["$^", [""], ["a"]],
      ["a|^b", ["ba", "xa"], ["xb"]],
      ["(^a|b)c", ["ac", "xbc"], ["xac"]],
      ["a(b$|c)", ["ab", "acx"], ["abx"]],
      ["(^)a", ["a"], ["ba"]],
      ["a($)", ["a"], ["ab"]],
      ["u$(v|$)", ["u"], ["uv"]],
      ["^^a", ["a"], ["^a"]],
      ["a$$", ["a"], ["a$"]],
      ["\\`a\\'", ["a"], ["ba", "ab"]],
      ["\\^a\\$", ["^a$"], ["a"]],
    ])("%s", check);
  });

  describe("word boundaries", () => {
    test.each<Case>([
      ["\\<", ["a", " a"], ["", "-"]],
      ["\\>", ["a", "a "], ["", "-"]],
      ["a\\>", ["a", "a-", "ba c"], ["ab", "a_", "a1", "aé"]],
      ["\\<a", ["a", "-a"], ["ba", "_a", "1a", "éa"]],
      ["\\ba\\b", ["a", "-a-"], ["ab", "ba"]],
      ["a\\b-", ["a-"], ["a_"]],
      ["\\Ba", ["ba"], ["a", "-a"]],
      ["\\b", [" x\t", "x\t"], ["", " \t "]],
      ["x.*\\b$", ["xy", "x -y"], ["xy ", "x-"]],
      ["\\B", ["xyz", "x - y"], ["x y\tz"]],
      ["^\\w\\W$", ["a-", "_ ", "é\u20ac"], ["ab", "--"]],
      ["^\\s\\S$", [" a", "\ta"], ["aa", "  "]],
    ])("%s", check);
  });

  describe("bounds", () => {
    test.each<Case>([
      ["^a{0}$", [""], ["a"]],
      ["^a{0,0}b$", ["b"], ["ab"]],
      ["^a{1}$", ["a"], ["", "aa"]],
      ["^a{2,}$", ["aa", "aaaa"], ["a"]],
      ["^a{,2}$", ["", "aa"], ["aaa"]],
      ["^a{,}$", ["", "aaa"], ["b"]],
      ["^a{0,1}$", ["", "a"], ["aa"]],
      ["^a{1\\,2}$", ["a", "aa"], ["aaa"]],
      ["^a{2}{2}$", ["aaaa"], ["aa", "aaaaaa"]],
      ["^(ab){2}$", ["abab"], ["ab", "ababab"]],
      ["^a+?$", ["", "a", "aa"], ["b"]],
      ["^(a?){3}$", ["", "a", "aaa"], ["aaaa"]],
      ["^(\\<){0}-$", ["-"], ["", "--"]],
      ["^x((\\b)){0}y$", ["xy"], ["x", "x y"]],
      ["^x((y|z)){0}w$", ["xw"], ["xyw", "xzw"]],
      ["^x((y|z)){0,1}w$", ["xw", "xyw", "xzw"], ["xyzw"]],
      ["^x((y|z)){0,2}w$", ["xw", "xyw", "xzyw"], ["xyzyw"]],
    ])("%s", check);
  });

  describe("alternatives", () => {
    test.each<Case>([
      ["|a", ["", "b"], []],
      ["^(|a)b$", ["b", "ab"], ["aab"]],
      ["^(a|)b$", ["b", "ab"], ["aab"]],
      ["^(a||c)$", ["a", "", "c"], ["b"]],
      ["^ab|cd$", ["abx", "xcd"], ["xab", "cdx"]],
      ["^(a|b|cd)+$", ["abcd", "cda"], ["c", "abc"]],
    ])("%s", check);
  });

  describe("groups", () => {
    test.each<Case>([
      ["^((a)(b(c)))$", ["abc"], ["ab"]],
      ["^()*a$", ["a"], ["b"]],
      ["^(a*)*b$", ["b", "aab"], ["a"]],
      ["^p(((q|(((r))))))s$", ["pqs", "prs"], ["ps", "pqrs"]],
      ["^p(((q*|r|t)))s$", ["ps", "pqqs", "prs", "pts"], ["prrs", "pqrs"]],
      ["^m((n+|((o)*)))+p$", ["mp", "mnp", "monnoop"], ["mq", "mnqp"]],
    ])("%s", check);
  });

  describe("back-references", () => {
    test.each<Case>([
      ["^(a)(b)(c)(d)(e)(f)(g)(h)(i)\\9$", ["abcdefghii"], ["abcdefghih", "abcdefghi"]],
      ["^(a)\\10$", ["aa0"], ["aa", "a0"]],
      ["^((a|b)c)\\2$", ["aca", "bcb"], ["acb", "acac"]],
      ["^(a|(b))\\2$", ["bb"], ["a", "aa", "ab"]],
      ["^(a)?\\1b$", ["aab"], ["b", "ab"]],
      ["^(a*)\\1$", ["", "aa"], ["a", "aaa"]],
      ["^(a)\\1{2}$", ["aaa"], ["aa", "aaaa"]],
      ["^(.+)-(\\1){0}=$", ["q-=", "qq-="], ["q-q=", "-="]],
      ["^(((.+)))-((\\2)){0}=$", ["q-="], ["q-q="]],
      ["^(a|b)(\\1)$", ["aa", "bb"], ["ab"]],
      ["\\<(a+) \\1\\>", ["a a", "aa aa"], ["aa a", "a aa"]],
      ["^(.).*\\1$", ["aba", "éxé"], ["ab", "éè"]],
    ])("%s", check);
  });
});

test.each<Case>([
  ["ſ", ["s", "S", "ſ"], ["ß"]],
  ["ı", ["i", "I", "ı"], ["İ"]],
  ["\u212a", ["\u212a"], ["k", "K"]],
  ["[a-z]", ["ſ", "ı", "K"], ["\u212a", "é"]],
  ["^[^s]$", ["t"], ["s", "S", "ſ"]],
  ["[[:lower:]]", ["É"], ["1"]],
  ["[à-ý]", ["É", "é"], ["E"]],
  ["ß", ["ß"], ["SS", "ẞ"]],
  ["σ", ["Σ", "ς"], ["s"]],
  ["ǆ", ["Ǆ", "ǅ"], ["dž"]],
  ["^(s)\\1$", ["ſS", "sſ"], ["st"]],
  ["\\bı\\b", ["I"], ["Is"]],
])("ignoring case, %s compares upper-case forms", (pattern, matching, others) => {
  check(pattern, matching, others, true);
});

test.each<Case>([
  ["alnum", ["a", "Z", "5", "é"], ["_", " "]],
  ["alpha", ["a", "Z", "é"], ["5", "_"]],
  ["blank", [" ", "\t"], ["\v", "a"]],
  ["cntrl", ["\u0001", "\u007f"], [" ", "a"]],
  ["digit", ["0", "9"], ["a", "٣"]],
  ["graph", ["a", "!", "é"], [" ", "\t"]],
  ["lower", ["a", "é"], ["A", "É", "1"]],
  ["print", ["a", " "], ["\t", "\u007f"]],
  ["punct", ["!", "_", "€"], ["a", " "]],
  ["space", [" ", "\t", "\v"], ["a", "_"]],
  ["upper", ["A", "É"], ["a", "é", "1"]],
  ["xdigit", ["0", "f", "F"], ["g", "G"]],
])("[:%s:] is a class, also negated", (name, members, others) => {
  check(`^[[:${name}:]]$`, members, others);
  check(`^[^[:${name}:]]$`, others, members);
});

test("an equivalence class or a range beyond ASCII is by code point, which glibc rejects", () => {
  check("^[[=é=]]$", ["é"], ["e"]);
  check("^[é-ü]$", ["é", "ö", "ü"], ["e", "è", "ý"]);
});

test("a back-reference works with word boundaries of characters of any length", () => {
  check("^.\\b-(a)\\1$", ["x-aa", "é-aa", "中-aa", "\u{20000}-aa"], ["--aa", "\u{1f600}-aa"]);
});

test("at a word boundary, an invalid byte counts as the character with its value", () => {
  for (const pattern of ["\\<a", "\\<(a)\\1*"]) {
    expect(compile(pattern).test(Buffer.of(0xe9, 0x61)), pattern).toBe(false);
    expect(compile(pattern).test(Buffer.of(0xd7, 0x61)), pattern).toBe(true);
  }
});

test("a lone surrogate in a pattern is the replacement character", () => {
  check("^\ud800$", ["\ufffd"], ["?"]);
});

test("a NUL matches a negated list, but not a period", () => {
  check("^[^a]$", ["\0"], ["a"]);
  check("^.$", ["b"], ["\0"]);
});
