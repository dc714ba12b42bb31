// What fetching a page costs: against the start of Node itself, in a served process, and with a large page. The server is on loopback,
// and each page is fetched once, so that no page comes from the cache. `node:http` alone is the least that any tool in JavaScript takes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { argumentsOf, load, ms, nodeItself, ratio, report, run, scratch, table, takeTurns, tool } from "./measure.mjs";

const { discover, executeCall, findTool, prepareCall, spareTools } = await loadHost();

const rounds = 40;

/** A page like those of documentation: headings, paragraphs with links, lists, code, a table. */
function pageOf(bytes) {
  const parts = [
    "<!doctype html><html><head><title>Reference</title><style>p { margin: 0 }</style></head><body><nav>Home</nav><main>",
  ];
  for (let n = 1, length = 0; length < bytes; n++) {
    const part = `<h2 id="s${n}">Section ${n}</h2><p>The <a href="/f${n}">function ${n}</a> returns <em>one</em> of <code>a&lt;b&gt;</code>, which is described in <a href="../g${n}?x=1&amp;y=2">another place</a>.</p><ul><li>first</li><li>second <strong>item</strong></li></ul><pre><code>let x${n} = f(${n});</code></pre><table><tr><th>name</th><th>value</th></tr><tr><td>n</td><td>${n}</td></tr></table>\n`;
    parts.push(part);
    length += part.length;
  }
  return `${parts.join("").slice(0, bytes - 30)}</main></body></html>`;
}

const pages = { page: pageOf(73_000), large: pageOf(1_000_000) };
const server = createServer(({ url }, response) => {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(pages[url.split("/")[1]]);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const host = `127.0.0.1:${server.address().port}`;

const home = scratch();
mkdirSync(join(home, "tmp"));
const env = {
  ...process.env,
  HOME: home,
  TMPDIR: join(home, "tmp"),
  IKIGAI_WEB_ALLOW: host,
  IKIGAI_MAX_OUTPUT_BYTES: "65536",
};
let calls = 0;
const input = (kind) => JSON.stringify({ url: `http://${host}/${kind}/${++calls}` });
/** What remains of the tool without everything that is its own: Node, its HTTP, and the response, which is thrown away. */
const onlyRequest = () =>
  run(process.execPath, [
    "-e",
    `require("http").get("http://${host}/page/${++calls}", (response) => response.resume())`,
  ]);
const oneShot = (kind) => () => run(tool("web-fetch-tool"), [], { input: input(kind), env });

const registry = await discover({
  directories: [{ path: join(tool("web-fetch-tool"), ".."), scope: "user" }],
  home,
  projectDir: home,
});
const webFetch = findTool(registry, "web_fetch");
const spares = spareTools();
async function served() {
  const circumstances = { cwd: home, projectDir: home, sessionId: "bench", callId: `call-${++calls}`, env, spares };
  const { envelope } = await executeCall(prepareCall(webFetch, argumentsOf(JSON.parse(input("page"))), circumstances));
  if (!envelope.tool_success || envelope.result.error) throw new Error(JSON.stringify(envelope));
}

const times = await takeTurns(
  {
    "node -e 0": nodeItself,
    "`node:http` alone, 73 kB": onlyRequest,
    "a page of 73 kB": oneShot("page"),
    "the same, served": served,
    "a page of 1 MB": oneShot("large"),
  },
  rounds,
);
const mebibytes = await peakMiB("large");
spares.close();
server.close();
server.closeAllConnections();

const base = times["node -e 0"].p50;
const rows = Object.entries(times).map(([name, { p50, p95 }]) => [name, ms(p50), ms(p95), ratio(p50, base)]);
report({
  title: "web_fetch: a page from loopback to Markdown",
  text: `${table(["", "p50 ms", "p95 ms", "against `node -e 0`"], rows)}

Peak memory with the page of 1 MB: ${mebibytes.toFixed(0)} MiB.`,
  figures: {
    "web page against node -e 0": times["a page of 73 kB"].p50 / base,
    "web page served p50": times["the same, served"].p50,
    "web page of 1 MB ms": times["a page of 1 MB"].p50,
    "web MiB": mebibytes,
  },
});

/** The most memory that a call takes, which the process reports when it exits: it is too short to be sampled. */
async function peakMiB(kind) {
  const [hook, peak] = [join(home, "peak.cjs"), join(home, "peak")];
  const text =
    'process.on("exit", () => require("fs").writeFileSync(process.env.PEAK, String(process.resourceUsage().maxRSS)));';
  writeFileSync(hook, text);
  const options = { input: input(kind), env: { ...env, PEAK: peak } };
  await run(process.execPath, ["--require", hook, tool("web-fetch-tool")], options);
  return Number(readFileSync(peak, "utf8")) / 1_024;
}

async function loadHost() {
  return { ...(await load("core")), ...(await load("core", "internal")) };
}
