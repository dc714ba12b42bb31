// Draws docs/architecture.svg from the results of `npm run layers`: how packages import each other, and the folders of the larger
// ones. Leaves out arrows that others imply. With --check it only reports whether the picture is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { instance } from "@viz-js/viz";

const withFolders = ["packages/core/src", "packages/agent/src", "apps/cli/src", "apps/cli/src/tui"];

const { modules } = JSON.parse(readFileSync(".turbo/imports.json", "utf8"));
const imports = modules.flatMap(({ source, dependencies }) => dependencies.map(({ resolved }) => [source, resolved]));

const clusters = [
  clusterOf("packages", (file) => /^(?:packages|apps)\/([^/]+)\//.exec(file)?.[1]),
  ...withFolders.map((dir) => clusterOf(dir, (file) => new RegExp(`^${dir}/([^/]+)/`).exec(file)?.[1])),
];
const viz = await instance();
const picture = "docs/architecture.svg";
const drawn = viz.renderString(dotOf(clusters), { format: "svg" });
if (!process.argv.includes("--check")) writeFileSync(picture, drawn);
else if (readFileSync(picture, "utf8") !== drawn) {
  console.error(`${picture} is out of date. Run: npm run graph`);
  process.exitCode = 1;
}

/** Returns the nodes that `nodeOf` assigns to files, and the imports of each. */
function clusterOf(title, nodeOf) {
  const targets = new Map();
  for (const { source } of modules) if (nodeOf(source)) targets.set(nodeOf(source), new Set());
  for (const [from, to] of imports.map((pair) => pair.map(nodeOf))) {
    if (from && to && from !== to) targets.get(from).add(to);
  }
  return { title, targets: merged(withoutImplied(targets)) };
}

/** Removes arrows whose target is reachable without them; keeps those of a cycle. */
function withoutImplied(targets) {
  const left = new Map([...targets].map(([from, all]) => [from, new Set([...all].sort())]));
  for (const [from, all] of left) {
    for (const to of [...all]) {
      all.delete(to);
      if (!reaches(left, from, to) || reaches(targets, to, from)) all.add(to);
    }
  }
  return left;
}

function reaches(targets, from, to, seen = new Set()) {
  if (from === to) return true;
  seen.add(from);
  return [...targets.get(from)].some((next) => !seen.has(next) && reaches(targets, next, to, seen));
}

/** Merges nodes with the same arrows into one. */
function merged(targets) {
  const arrowsOf = (node) => {
    const sources = [...targets].filter(([, all]) => all.has(node)).map(([from]) => from);
    return JSON.stringify([[...targets.get(node)].sort(), sources.sort()]);
  };
  const labelOf = (node) => {
    const alike = [...targets.keys()].filter((other) => arrowsOf(other) === arrowsOf(node));
    return alike.sort().join("\\n");
  };
  return new Map([...targets].map(([from, all]) => [labelOf(from), new Set([...all].map(labelOf))]));
}

function dotOf(clusters) {
  const parts = clusters.map(({ title, targets }, index) => {
    const id = (label) => `"${index} ${label}"`;
    const nodes = [...targets.keys()].sort().map((label) => `${id(label)} [label="${label}"];`);
    const arrows = [...targets].flatMap(([from, all]) => [...all].map((to) => `${id(from)} -> ${id(to)};`));
    return `subgraph "cluster ${index}" { label="${title}"; margin=14; ${nodes.join(" ")} ${arrows.sort().join(" ")} }`;
  });
  const font = 'fontname="Helvetica,Arial,sans-serif"';
  return `digraph {
    graph [${font} fontsize=15 labeljust=l color="#c8c8c8" style=rounded bgcolor=white ranksep=0.35 nodesep=0.25];
    node [${font} fontsize=12 shape=box style="rounded,filled" fillcolor="#eef3fa" color="#7d93b2" height=0.3];
    edge [color="#5b6b82" arrowsize=0.6];
    ${parts.join("\n")}
  }`;
}
