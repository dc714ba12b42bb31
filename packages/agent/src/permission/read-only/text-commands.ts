import { isReadingAwkProgram, isReadingJqProgram } from "./awk-program.ts";
import type { CommandSpec } from "./command-spec.ts";
import { isReadingSedScript } from "./sed-script.ts";

const grep: CommandSpec = {
  short: "EFGPivwxclLqsnHhobTZzuaUIre:A:B:C:m:d:D:f@",
  long:
    "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count " +
    "files-with-matches files-without-match quiet silent no-messages line-number with-filename no-filename only-matching " +
    "byte-offset initial-tab null null-data text binary recursive regexp= after-context= before-context= context= max-count= " +
    "color=? colour=? include= exclude= exclude-dir= exclude-from=@ file=@ label= line-buffered binary-files= directories= devices= version help",
  number: true,
  operands: "pattern",
  patternOptions: ["-e", "-f", "--regexp", "--file"],
  isRecursive: true,
  refused: {
    "-R": "follows symlinks, which may lead out of the project",
    "--dereference-recursive": "follows symlinks, which may lead out of the project",
  },
};

/** Programs that print, select and compare lines. */
export const textCommands: Readonly<Record<string, CommandSpec>> = {
  cat: {
    short: "AbeEnstTuv",
    long: "show-all number number-nonblank squeeze-blank show-ends show-tabs show-nonprinting version help",
    operands: "paths",
  },
  tac: { short: "brs:", long: "before regex separator=", operands: "paths" },
  rev: { operands: "paths" },
  head: {
    short: "n:c:qvz",
    long: "lines= bytes= quiet silent verbose zero-terminated version help",
    number: true,
    operands: "paths",
  },
  tail: {
    short: "n:c:qvz",
    long: "lines= bytes= quiet silent verbose zero-terminated version help",
    number: true,
    operands: "paths",
    refused: { "-f": "never ends", "-F": "never ends", "--follow": "never ends" },
  },
  wc: {
    short: "cmlLw",
    long: "bytes chars lines words max-line-length total= version help",
    operands: "paths",
    refused: { "--files0-from": "reads files that another file names" },
  },
  nl: { short: "b:d:f:h:i:l:n:ps:v:w:", operands: "paths" },
  sort: {
    short: "bdfgiMhnrRVcCmsuzk:t:S:",
    long:
      "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort month-sort human-numeric-sort numeric-sort reverse " +
      "version-sort check=? merge stable unique zero-terminated key= field-separator= parallel= version help",
    operands: "paths",
    refused: {
      "-o": "writes a file",
      "--output": "writes a file",
      "-T": "writes to a directory",
      "--compress-program": "runs a program",
      "--files0-from": "reads files that another file names",
    },
  },
  uniq: {
    short: "cdDuizf:s:w:",
    long: "count repeated all-repeated=? unique ignore-case skip-fields= skip-chars= check-chars= zero-terminated",
    number: true,
    operands: "paths",
    // The second operand is written to.
    maxOperands: 1,
  },
  cut: {
    short: "b:c:d:f:nsz",
    long: "bytes= characters= delimiter= fields= only-delimited complement output-delimiter= zero-terminated",
    operands: "paths",
  },
  tr: { short: "cCdst", long: "complement delete squeeze-repeats truncate-set1", operands: "texts" },
  paste: { short: "d:sz", long: "delimiters= serial", operands: "paths" },
  join: { short: "a:e:ij:o:t:v:1:2:z", operands: "paths" },
  fold: { short: "bsw:", long: "bytes spaces width=", number: true, operands: "paths" },
  fmt: { short: "cstuw:p:g:", long: "width=", number: true, operands: "paths" },
  expand: { short: "it:", long: "initial tabs=", operands: "paths" },
  unexpand: { short: "at:", long: "all first-only tabs=", operands: "paths" },
  column: { short: "ts:o:c:x", long: "table separator= output-separator= output-width=", operands: "paths" },
  comm: { short: "123z", long: "check-order nocheck-order output-delimiter= total", operands: "paths" },
  cmp: { short: "bsln:i:", long: "print-bytes silent quiet verbose bytes= ignore-initial=", operands: "paths" },
  diff: {
    short: "qscuC:U:enyiEZbwBadtTpW:I:F:rN",
    long:
      "normal brief report-identical-files context=? unified=? ed rcs side-by-side width= left-column suppress-common-lines " +
      "show-c-function show-function-line= label= expand-tabs ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change " +
      "ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr minimal color=? recursive new-file version help",
    operands: "paths",
    isRecursive: true,
    followsLinks: true,
    refused: {
      "-l": "runs pr",
      "--paginate": "runs pr",
      "-S": "reads the names of files from a file",
      "-X": "reads a file",
    },
  },
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    short: "nNiSswxvcloqHIUFPae:A:B:C:m:M:g:t:T:d:uj:r:0hV",
    long:
      "line-number no-line-number ignore-case smart-case case-sensitive word-regexp line-regexp invert-match count count-matches " +
      "files-with-matches files-without-match only-matching quiet with-filename no-filename no-heading heading multiline " +
      "multiline-dotall fixed-strings pcre2 text regexp= after-context= before-context= context= max-count= max-columns= glob= iglob= " +
      "type= type-not= max-depth= maxdepth= hidden no-ignore no-ignore-vcs sort= sortr= color= colors= json files type-list stats trim vimgrep replace= " +
      "null unrestricted no-messages version help",
    operands: "pattern",
    patternOptions: ["-e", "--regexp", "--files", "--type-list"],
    isRecursive: true,
    refused: {
      "--pre": "runs a program",
      "--hostname-bin": "runs a program",
      "-z": "runs programs that unpack",
      "--search-zip": "runs programs that unpack",
      "-L": "follows symlinks, which may lead out of the project",
      "--follow": "follows symlinks, which may lead out of the project",
      "-f": "reads patterns from a file",
    },
  },
  sed: {
    short: "nErsuze:",
    long: "quiet silent regexp-extended expression= separate unbuffered null-data posix version help",
    operands: "program",
    patternOptions: ["-e", "--expression"],
    check: ({ programs }) =>
      programs.every(({ text }) => isReadingSedScript(text)) ? undefined : "its script is not known to be read-only",
    refused: {
      "-i": "changes files",
      "--in-place": "changes files",
      "-f": "reads its script from a file",
      "--file": "reads its script from a file",
    },
  },
  awk: {
    short: "F:v:",
    operands: "program",
    check: ({ programs }) =>
      programs.every(({ text }) => isReadingAwkProgram(text)) ? undefined : "its program is not known to be read-only",
    refused: {
      "-f": "reads its program from a file",
      "-i": "reads its program from a file",
      "-l": "loads a library",
      "-E": "reads its program from a file",
    },
  },
  jq: {
    short: "rcesnSajMCR",
    long: "raw-output compact-output exit-status slurp null-input sort-keys ascii-output join-output raw-input tab indent= color-output monochrome-output version help",
    operands: "program",
    check: ({ programs }) =>
      programs.every(({ text }) => isReadingJqProgram(text)) ? undefined : "its program is not known to be read-only",
    refused: { "-f": "reads its program from a file", "-L": "loads modules", "--slurpfile": "reads another file" },
  },
};
