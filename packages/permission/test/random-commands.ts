import fc from "fast-check";

/** Names of stubs, and builtins that run or change what follows. All are harmless. */
const names = [
  "good",
  "fine",
  "bad",
  "other",
  "env",
  "nice",
  "command",
  "exec",
  "builtin",
  ".",
  "source",
  "eval",
  "set",
  "true",
  ":",
];

/** Text that shells read differently, and text that hides it. */
const fragments = [
  ...[" ", " ", " ", "\t", "\n", "\n", ";", "&&", "||", "|", "&", "|&", ";;", "; ", " && ", " | ", " || ", " &\n"],
  ...[
    "#",
    " #",
    " # it's\n",
    ' # "\n',
    "# '\n",
    " # \\\n",
    ";#'\n",
    "''#",
    "\\\n",
    " \\\n ",
    "\\\\\n",
    "\\\\\\\n",
    "\\",
  ],
  ...[
    "'",
    '"',
    "''",
    '""',
    "\\'",
    '\\"',
    "'\"'",
    '"\'"',
    '"\\\n"',
    '"\\\\"',
    '"\\$"',
    "'\\'",
    "$'\\''",
    '$"a"',
    "$'\\n'",
  ],
  ...[
    ">/dev/null",
    "2>&1",
    "2>&1;",
    ">&2",
    "&>/dev/null",
    "&>>x",
    ">&-",
    "<x",
    ">x",
    ">>x",
    ">|x",
    "<>x",
    "2>",
    "1>&2 ",
    "0<&-",
  ],
  ...["<<x\n", "<<'x'\n", "\nx\n", "<<-x\n", "<<<x", "<<", "10>x", ">&x", "<(bad)", ">(bad)"],
  ...[
    "$(bad)",
    "`bad`",
    "$x",
    "$",
    "$x",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: That is shell.
    "${x:-bad}",
    "$((1))",
    "$@",
    "(",
    ")",
    "{",
    "}",
    "{ bad;}",
    "{}",
    "{bad,x}",
    "{1..2}",
  ],
  ...[
    "if ",
    "then ",
    "fi",
    "else ",
    "do ",
    "done",
    "for x in y;",
    "case x in",
    "esac",
    "! ",
    "time ",
    "[[ ",
    "]]",
    "coproc ",
  ],
  ...[
    "A=b ",
    "good=bad ",
    "alias good=bad\n",
    "good() { bad; }\n",
    "function good { bad; }\n",
    "trap bad EXIT\n",
    "export A=b;",
  ],
  ...[
    "[ -f x ]",
    "test x",
    "printf x",
    "printf -v y x",
    "[ -v 'y[$(bad)]' ]",
    "set -e;",
    "set -k\n",
    "set -- bad\n",
    "cd . && ",
  ],
  ...["*", "?", "[a]", "~", "~/", "x", "a b", "-n", "--a=b", "=", "%1", "^", "@", "!", ",", ".."],
  ...[
    "\r",
    "\r\n",
    "\v",
    "\f",
    "\u0001",
    "\u007F",
    "\u00A0",
    "\u00A0#",
    "\u3000",
    "\u2028",
    "\u0085",
    "\uFEFF",
    "\u200B",
  ],
  ...["é", "à", "…", "\uFDFA", "😀", "￠", "\u0301"],
];

const plainWords = [
  "x",
  "-n",
  "--a=b",
  "'a b'",
  '"it\'s"',
  '"a|b"',
  "'x;y'",
  "a\\ b",
  '"a\\"b"',
  "./p/q.ts",
  "a,b",
  "HEAD@{1}",
  "'#'",
];
const plainRedirects = ["2>&1", "2>/dev/null", ">/dev/null", ">/dev/null 2>&1", "1>&2", "</dev/null"];
const joints = [" && ", " || ", "; ", ";", " | ", "|", "\n", "&&", " &\n", " ; ", " |\n ", " && \\\n  ", " # it's\n"];

const plainPart = fc
  .tuple(
    fc.constantFrom("good", "fine"),
    fc.array(fc.constantFrom(...plainWords), { minLength: 1, maxLength: 4 }),
    fc.option(fc.constantFrom(...plainRedirects)),
    fc.constantFrom(" ", " ", " ", "  ", " \\\n "),
  )
  .map(([name, words, redirect, blank]) => [name, ...words, ...(redirect ? [redirect] : [])].join(blank));

/** Commands as people write them, of programs that the rules allow. */
export const plainCommands: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("", "", "cd . && ", "cd .; "),
    plainPart,
    fc.array(fc.tuple(fc.constantFrom(...joints), plainPart), { maxLength: 4 }),
    fc.constantFrom("", "", "", ";", "\n", " # done"),
  )
  .map(([start, first, others, end]) => start + first + others.flat().join("") + end);

const fragment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...names) },
  { weight: 10, arbitrary: fc.constantFrom(...fragments) },
);

/** Fragments in any order. */
const noise = fc
  .tuple(fc.constantFrom(...names), fc.array(fragment, { minLength: 1, maxLength: 12 }))
  .map(([name, others]) => name + others.join(""));

/** A plain command with a fragment inserted, before another command. */
const disturbed = fc
  .tuple(plainCommands, fc.array(fc.tuple(fc.nat(), fragment), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([plain, insertions, hasMore]) =>
    insertions.reduce(
      (text, [place, piece]) =>
        text.slice(0, place % (text.length + 1)) + piece + text.slice(place % (text.length + 1)),
      hasMore ? `${plain}\nbad x` : plain,
    ),
  );

/** Commands made to be misread. */
export const trickyCommands: fc.Arbitrary<string> = fc.oneof(noise, disturbed, disturbed);
