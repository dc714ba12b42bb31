// Checks that every relative link in a Markdown file leads to an existing file and, if it names one, to an existing heading. Prints
// the broken links, and the source files in maps (AGENTS.md, architecture.md, the packages' READMEs) that do not exist, one per line; exits with 1 if there are any.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && existsSync(file));
const files = tracked.filter((file) => file.endsWith(".md"));

const problems = [
  ...files.flatMap((file) => linksIn(file).flatMap((link) => problemWith(link, file) ?? [])),
  ...["AGENTS.md", "docs/architecture.md", ...files.filter(isMap)].flatMap(missingSources),
];
for (const problem of problems) console.log(problem);
process.exit(problems.length > 0 ? 1 : 0);

function linksIn(file) {
  const text = withoutCode(readFileSync(file, "utf8"));
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link);
}

/** Whether it is the README of a private package, which says what its modules do. */
function isMap(file) {
  return /^packages\/[^/]+\/README\.md$/.test(file) && readFileSync(file, "utf8").includes("Private: ");
}

/** Sources by the end of their path. Capital letters stand for any name. */
function missingSources(file) {
  const words = readFileSync(file, "utf8").match(/(?<![\w./-])\.?\w[\w./-]*\.(?:ts|mjs)\b/g);
  return (words ?? [])
    .filter((word) => !/[A-Z]/.test(word) && !tracked.some((path) => `/${path}`.endsWith(`/${word}`)))
    .map((word) => `${file}: there is no ${word}`);
}

function problemWith(link, file) {
  if (/^[a-z]+:/i.test(link)) return undefined;
  const [path, anchor] = link.split("#");
  const target = path === "" ? file : join(dirname(file), decodeURIComponent(path));
  if (!existsSync(target)) return `${file}: ${link} leads to no file`;
  if (anchor === undefined || statSync(target).isDirectory()) return undefined;
  return headingsOf(target).includes(anchor) ? undefined : `${file}: ${link} leads to no heading of ${target}`;
}

/** Returns the anchors that GitHub makes from the headings. */
function headingsOf(file) {
  const headings = [...withoutFences(readFileSync(file, "utf8")).matchAll(/^#+ +(.+)$/gm)].map(
    ([, heading]) => heading,
  );
  const seen = new Map();
  return headings.map((heading) => {
    const text = heading.replace(/\]\([^)]*\)/g, "").toLowerCase();
    const slug = text.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

function withoutCode(text) {
  return withoutFences(text).replace(/`[^`\n]*`/g, "");
}

function withoutFences(text) {
  return text.replace(/^ *(`{3,})[^\n]*\n[\s\S]*?^ *\1/gm, "");
}
