// Replays patterns and globs of a corpus on a checkout, and compares the files found with those of git.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atHome } from "./answers-changes.mjs";
import { startMcp } from "./rpc-server.mjs";

/** Syntax of Perl's expressions, which the tool reads, too, and git grep with -P. */
const isPerl = /\(\?|\\[pPQEdDwWsSb]|[*+?}]\?/;

/** Where all files of a search are wanted, to compare them. */
const wideBytes = 1_048_576;

/** Starts the tools for the searches of a checkout. @param recall counts the files that git finds, and those that the tools miss */
export async function searchReplay(dir, home, recall) {
  const wideHome = join(home, "wide");
  const limits = { answerBytes: wideBytes, maxOutputBytes: wideBytes };
  mkdirSync(join(wideHome, ".ikigai"), { recursive: true });
  writeFileSync(join(wideHome, ".ikigai", "config.json"), JSON.stringify({ tools: { grep: limits, glob: limits } }), {
    mode: 0o600,
  });
  const own = await startMcp({ cwd: dir, home });
  const wide = await startMcp({ cwd: dir, home: wideHome });

  async function ask(name, input, wanted, listing) {
    const answer = await own.ask(name, input);
    const call = { name, input, bytes: Buffer.byteLength(answer.text) };
    const reason = reasonOf(answer) ?? (await missing(listing, wanted)) ?? emptyOf(answer);
    return [call, dir, reason];
  }

  /** The reason if git finds files that the tool neither shows nor counts. */
  async function missing({ name, input, pathsOf }, wanted) {
    if (wanted === undefined || wanted.length === 0) return undefined;
    const { document = {} } = await wide.ask(name, input);
    const found = new Set(
      [document, document.below ?? {}].flatMap(({ output = "" }) => output.split("\n").map(pathsOf)),
    );
    const missed = wanted.filter((path) => !found.has(path));
    recall.files += wanted.length;
    recall.missed += missed.length;
    return missed.length === 0 ? undefined : ["ours", `missed ${missed.slice(0, 3)}`];
  }

  return {
    pattern({ pattern, via, options: { flags = [] } }) {
      const isBasic = via.endsWith("grep") && !flags.some((flag) => /^-\w*[EP]/.test(flag));
      const ignoresCase = flags.some((flag) => /^-\w*i/.test(flag));
      const input = { pattern, ...(ignoresCase && { ignore_case: true }) };
      const listing = {
        name: "grep",
        input: { ...input, format: "files" },
        pathsOf: (line) => line.slice(0, line.lastIndexOf(": ")),
      };
      return ask("grep", input, grepFiles(dir, pattern, { isBasic, ignoresCase }), listing);
    },
    /** A glob of grep's option goes to grep; find's look below all directories. */
    glob({ pattern, via }) {
      if (via === "include") {
        const input = { pattern: "[a-z]", glob: pattern };
        const listing = {
          name: "grep",
          input: { ...input, format: "files" },
          pathsOf: (line) => line.slice(0, line.lastIndexOf(": ")),
        };
        const wanted = git(dir, ["grep", "-lIz", "--untracked", "--exclude-standard", "[a-z]", "--", pattern]);
        return ask("grep", input, pattern.includes("/") ? undefined : wanted, listing);
      }
      const meant = via === "find -name" ? `**/${pattern}` : atHome(pattern, dir);
      const wanted = git(dir, ["ls-files", "-cozt", "--exclude-standard", "--deduplicate", `:(glob)${meant}`]);
      const paths = wanted?.map((line) => line.slice(2));
      const isPlain = !/[{]/.test(meant) && meant.includes("**");
      return ask("glob", { pattern: meant }, isPlain ? paths : undefined, {
        name: "glob",
        input: { pattern: meant },
        pathsOf: (line) => line.replace(/^\.\//, ""),
      });
    },
    async end() {
      await own.end();
      await wide.end();
    },
  };
}

function reasonOf({ document, error, text }) {
  if (error === "TOOL_DENIED") return ["no one's", `asks: ${document?.error}`];
  if (error === "INVALID_PATTERN" || error === "INVALID_PARAMS")
    return [document?.hint ? "the call's" : "ours", document?.error ?? text.slice(0, 300)];
  if (error !== undefined) return ["ours", text.slice(0, 300)];
  if (document.truncated && !document.hint) return ["ours", "cut without a hint"];
  return undefined;
}

/** What is right, but not an answer in full. */
function emptyOf({ document: { count, below, truncated } }) {
  if (count + (below?.count ?? 0) === 0) return ["no one's", ""];
  return truncated ? ["no one's", ""] : undefined;
}

/** The files that git grep finds; `undefined` if git reads the pattern differently or not at all. */
function grepFiles(dir, pattern, { isBasic, ignoresCase }) {
  const search = (engine) =>
    git(dir, [
      "grep",
      "-lIz",
      engine,
      ...(ignoresCase ? ["-i"] : []),
      "--untracked",
      "--exclude-standard",
      "-e",
      pattern,
    ]);
  const engine = isPerl.test(pattern) && !isBasic ? "-P" : "-E";
  const found = search(engine);
  // Only alternatives are taken for what they are without -E: other escapes mean what they mean here.
  const [used, files] = isBasic && pattern.includes("\\|") && !found?.length ? ["-G", search("-G")] : [engine, found];
  if (!files?.length || !pattern.includes("$")) return files;
  // For git an empty line follows the last newline.
  const { stdout } = spawnSync("grep", ["-lIZ", used, ...(ignoresCase ? ["-i"] : []), "-e", pattern, "--", ...files], {
    cwd: dir,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return stdout.split("\0").filter(Boolean);
}

function git(dir, args) {
  const { stdout, status } = spawnSync("git", args, {
    cwd: dir,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8" },
    maxBuffer: 2 ** 26,
  });
  return status > 1 ? undefined : stdout.split("\0").filter(Boolean);
}
