// What the colours of code cost: as much as is highlighted on the screen, against as much as in an exported page.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ms, ratio, report, root, table, takeTurns } from "./measure.mjs";

const rounds = 100;
const { default: hljs } = await import(
  createRequire(join(root, "apps/cli/package.json")).resolve("highlight.js/lib/common")
);
const source = readdirSync(join(root, "apps/cli/src/render"), { recursive: true })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(root, "apps/cli/src/render", name), "utf8"))
  .join("\n");
const highlight = (length) => () =>
  void hljs.highlight(source.slice(0, length), { language: "ts", ignoreIllegals: true });
const { screen, page } = await takeTurns({ screen: highlight(4_000), page: highlight(100_000) }, rounds);

report({
  title: "The colours of code",
  text: table(
    ["TypeScript", "p50 ms", "p95 ms", "against the screen"],
    [
      ["4,000 characters, the most on the screen", ms(screen.p50), ms(screen.p95), "–"],
      ["100,000 characters, the most in a page", ms(page.p50), ms(page.p95), ratio(page.p50, screen.p50)],
    ],
  ),
  figures: { "highlight ms": screen.p50 },
});
