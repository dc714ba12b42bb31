// Finds the phrases of scripts/words/phrases.txt in tracked text files. Prints FILE:LINE, the phrase and the advice; exits 1 if it finds any.
// Usage: check-words.mjs [PATH…]    files or directories; without any, all tracked files
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";

const phrasesFile = "scripts/words/phrases.txt";
/** Not our prose: the list itself, licenses, lockfiles, recordings, vectors and text of third parties. */
const exempt =
  /^scripts\/words\/|(^|\/)(LICENSE|CODE_OF_CONDUCT)|pnpm-lock\.yaml$|\.(svg|jsonl)$|(^|\/)vectors\/|third-party|\/results\.json$/;

const phrases = linesOf(phrasesFile).map(readPhrase);
const named = process.argv.slice(2);
const files = trackedFiles(named.length > 0 ? named : ["."]);
const findings = files.flatMap((file) => findingsIn(file, textOf(file)));
for (const finding of findings) console.log(finding);
process.exit(findings.length > 0 ? 1 : 0);

function linesOf(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
}

function readPhrase(line) {
  const [phrase, advice] = line.split(" => ");
  if (!phrase || !advice) throw new Error(`${phrasesFile}: expected PHRASE => ADVICE, got ${line}`);
  // Between two words of a comment or a quoted string there may be a line break, with what the next line begins with.
  const words = phrase.replaceAll(" ", "(?: +|\\s*\\n\\s*(?:[*#>|]|//)* *)");
  return { pattern: new RegExp(`(?<![\\w-])(?:${words})(?![\\w-])`, "gim"), advice };
}

function trackedFiles(paths) {
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) {
    console.error(`There is no ${missing}.`);
    process.exit(2);
  }
  return execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...paths], {
    encoding: "utf8",
  })
    .split("\0")
    .filter((file) => file !== "" && !exempt.test(file) && statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** A comparison with None is code in Python. */
function textOf(file) {
  const text = readFileSync(file, "utf8");
  return file.endsWith(".py") ? text.replaceAll(/\bis None\b/g, "== None") : text;
}

function findingsIn(file, text) {
  if (text.includes("\0")) return [];
  return phrases
    .flatMap(({ pattern, advice }) =>
      [...text.matchAll(pattern)].map(({ 0: match, index }) => ({
        line: text.slice(0, index).split("\n").length,
        found: match.replace(/\s+/g, " "),
        advice,
      })),
    )
    .sort((a, b) => a.line - b.line)
    .map(({ line, found, advice }) => `${file}:${line}: "${found}": write ${advice}`);
}
