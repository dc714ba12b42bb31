import type { CommandSpec, GivenArguments } from "./command-spec.ts";

/** Options of all commands that print commits or changes. */
const changes =
  "stat=? numstat shortstat summary name-only name-status patch no-patch unified=? color=? no-color color-words=? word-diff=? " +
  "no-renames find-renames=? diff-filter= exit-code quiet check cached staged merge-base minimal histogram patience " +
  "ignore-all-space ignore-space-change ignore-blank-lines function-context relative=? no-ext-diff no-textconv raw full-index compact-summary dirstat=? " +
  "diff-algorithm= no-prefix text binary abbrev=?";
const commits =
  "oneline graph decorate=? no-decorate all branches=? tags=? remotes=? max-count= skip= since= until= after= before= author= " +
  "committer= grep= invert-grep all-match merges no-merges first-parent reverse date= pretty=? format=? follow topo-order " +
  "date-order abbrev-commit no-abbrev-commit left-right cherry-pick cherry-mark ancestry-path full-history simplify-by-decoration " +
  "extended-regexp fixed-strings perl-regexp regexp-ignore-case pickaxe-regex show-pulls no-notes notes=? source not count";

const history: CommandSpec = {
  short: "pusn:U?S:G:iEFPgqwbMCcmtz",
  long: `${changes} ${commits}`,
  number: true,
  operands: "paths",
};
const log: CommandSpec = { ...history, short: `${history.short}L:` };
const list: CommandSpec = { operands: "paths" };

/** The arguments with which git commands are read-only. Commands that are not listed need a question. */
export const gitSpecs: Readonly<Record<string, CommandSpec>> = {
  status: {
    short: "sbvzu?",
    long: "short branch porcelain=? long verbose show-stash untracked-files=? ignored=? ahead-behind no-ahead-behind renames no-renames column=? no-column",
    operands: "paths",
  },
  diff: { short: "pusU?S:G:wbMCRaqz", long: `${changes} no-merges`, operands: "paths", number: true },
  log,
  show: log,
  shortlog: {
    short: "snecw?",
    long: `numbered summary email group= ${commits.replace("committer= ", "committer ")}`,
    operands: "paths",
    number: true,
  },
  reflog: {
    ...history,
    check: ({ operands }) =>
      /^(?:expire|delete|drop|write)$/.test(operands[0]?.text ?? "") ? "it changes the log" : undefined,
  },
  blame: {
    short: "L:lswecfntM?C?",
    long: "show-name show-number show-email date= abbrev=? porcelain line-porcelain incremental root reverse first-parent",
    operands: "paths",
  },
  "rev-parse": {
    short: "q",
    long: "short=? abbrev-ref=? verify quiet show-toplevel show-prefix show-cdup git-dir git-common-dir absolute-git-dir is-inside-work-tree is-bare-repository symbolic symbolic-full-name all branches=? tags=? remotes=? is-inside-git-dir is-shallow-repository",
    operands: "paths",
  },
  "rev-list": { ...history, long: `${commits} objects objects-edge` },
  "ls-files": {
    short: "cdmoskutvzx:X@",
    long: "cached deleted modified others ignored stage killed unmerged exclude= exclude-from=@ exclude-standard error-unmatch full-name directory no-empty-directory abbrev=? deduplicate format=",
    operands: "paths",
  },
  "ls-tree": {
    short: "drtlz",
    long: "long name-only name-status full-name full-tree abbrev=? object-only format=",
    operands: "paths",
  },
  "cat-file": { short: "tsep", operands: "paths" },
  describe: {
    long: "all tags contains abbrev=? candidates= exact-match long match= exclude= always first-parent dirty=? broken=?",
    operands: "paths",
  },
  "merge-base": { short: "a", long: "all octopus is-ancestor independent fork-point", operands: "paths" },
  "name-rev": { long: "tags refs= all name-only always", operands: "paths" },
  "show-ref": {
    short: "dqs",
    long: "head heads branches tags dereference hash=? abbrev=? verify quiet exists",
    operands: "texts",
  },
  "for-each-ref": {
    long: "count= sort= format= points-at=$ merged=$ no-merged=$ contains=$ no-contains=$ ignore-case",
    operands: "texts",
  },
  "count-objects": { short: "vH", long: "verbose human-readable", operands: "texts", maxOperands: 0 },
  "check-ignore": { short: "vqn", long: "verbose quiet non-matching no-index", operands: "paths" },
  "diff-tree": { short: "prtmc", long: `${changes} root no-commit-id`, operands: "paths" },
  cherry: { short: "v", operands: "texts" },
  grep: {
    short: "nilLcwvhHEFPGaIopWqe:A:B:C:m:",
    long: "line-number ignore-case files-with-matches files-without-match name-only count word-regexp invert-match extended-regexp fixed-strings perl-regexp basic-regexp text cached untracked no-untracked and or not all-match break heading show-function function-context context= after-context= before-context= max-depth= max-count= only-matching column color=? no-color quiet full-name exclude-standard no-exclude-standard",
    number: true,
    operands: "pattern",
    patternOptions: ["-e"],
  },
  branch: {
    short: "avrq",
    long: "all remotes verbose show-current list sort= format= contains=$ no-contains=$ merged=$ no-merged=$ points-at=$ color=? no-color column=? no-column abbrev=? ignore-case",
    words: "-vv",
    operands: "texts",
    check: (given) =>
      unlessListing(given, ["--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"]),
  },
  tag: {
    short: "ln?",
    long: "list sort= format= contains=$ no-contains=$ merged=$ no-merged=$ points-at=$ column=? no-column color=? ignore-case",
    operands: "texts",
    check: (given) =>
      unlessListing(given, ["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"]),
  },
  remote: {
    short: "v",
    long: "verbose",
    operands: "texts",
    check: ({ operands: [first] }) =>
      first && first.text !== "get-url" ? "it may change or ask the remote" : undefined,
  },
  stash: {
    ...history,
    check({ operands: [first], options }) {
      if (first?.text === "list") return undefined;
      if (first?.text !== "show") return "it changes the stash";
      // It sorts the words that begin with a dash from the others, so that an option gets another value.
      return options.some(({ isSeparate }) => isSeparate) ? "its values must be attached to their options" : undefined;
    },
  },
  worktree: {
    short: "v",
    long: "porcelain verbose",
    operands: "texts",
    maxOperands: 1,
    check: ({ operands: [first] }) => (first?.text === "list" ? undefined : "it changes the worktrees"),
  },
  version: list,
};

/** Arguments that are left out on purpose, and what they do. */
export const gitRefused: Readonly<Record<string, string>> = {
  "diff --output=x": "writes a file",
  "log -U --output=x": "writes a file",
  "log -S --output=x": "writes a file",
  "log -- --output x": "writes a file",
  "log --grep x -- --outpu=x": "writes a file",
  "blame --abbrev --contents=a.txt a.txt": "reads any file",
  "diff --unified /etc/passwd /etc/hostname": "reads any file",
  "log --output=x": "writes a file",
  "diff --ext-diff": "runs a program",
  "log --ext-diff": "runs a program",
  "log --textconv": "runs a program",
  "log --show-signature": "runs a program",
  "diff --no-index a b": "reads any file, also through symlinks",
  "grep -O": "runs a pager",
  "grep --open-files-in-pager": "runs a pager",
  "grep -f x": "reads patterns from a file",
  "grep --recurse-submodules x": "searches repositories with their own configuration",
  "cat-file --textconv x": "runs a program",
  "cat-file --filters x": "runs a program",
  "branch x": "makes a branch",
  "branch -D x": "removes a branch",
  "branch -m x": "renames a branch",
  "branch --edit-description": "starts an editor",
  "tag x": "makes a tag",
  stash: "changes files",
  "stash pop": "changes files",
  "reflog expire": "changes the log",
  "remote add x y": "changes the configuration",
  "remote show x": "asks the remote",
  "config --list": "may tell what is in the user's own configuration",
  fetch: "reaches the network",
  "checkout x": "changes files",
  "-c core.pager=x log": "sets the configuration",
  "-p log": "runs a pager",
  "--git-dir=x log": "takes another repository",
  "--exec-path=x log": "takes other programs",
};

function unlessListing({ options, operands }: GivenArguments, listing: readonly string[]): string | undefined {
  if (operands.length === 0 || options.some(({ name }) => listing.includes(name))) return undefined;
  return "it may make one";
}
