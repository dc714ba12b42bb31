// The targets, and whether they are reached.

const ms = (value) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
const times = (value) => `${value.toFixed(2)} ×`;
const mib = (value) => `${value.toFixed(0)} MiB`;
const kib = (value) => `${(value / 1_024).toFixed(1)} KiB`;
const count = (value) => String(value);

/** What is measured, its key in the figures, its maximum, and its format. TOOL stands for each measured tool. */
const targets = [
  ["first request of a session", "first request ms", 70, ms],
  ["the same in a new home", "new home first request ms", 110, ms],
  ["session of 20 calls, model answers immediately", "session ms", 250, ms],
  ["the same in a new home", "new home session ms", 300, ms],
  ["one turn, model answers immediately", "turn ms, model at once", 5, ms],
  ["one turn, model thinks for 100 ms (not counted)", "turn ms, model 100 ms", 5, ms],
  ["one turn in mode auto, more than without a sandbox", "auto turn, more ms", 5, ms],
  ["the first turn in mode auto, with the sandbox's start, more", "auto first turn, more ms", 150, ms],
  ["the session in mode auto, model thinks 100 ms, against no sandbox", "auto session, model 100 ms", 1.15, times],
  ["peak memory of the tree, RSS", "session RSS", 120, mib],
  ["the same, shared pages counted once", "session PSS", 150, mib],
  ["call of bash, served, p50", "served p50, small host", 3, ms],
  ["the same against the tool in C", "served against C, small host", 0.8, times],
  ["call of file_read, served, p50", "file_read served p50, small host", 1, ms],
  ["processor time of a served call of bash, host and tool", "served CPU ms, small host", 6, ms],
  ["the same of file_read", "file_read served CPU ms, small host", 1.5, ms],
  ["second call to a service, p50", "service second call p50", 3, ms],
  ["`initialize` of `ikigai mcp serve`", "mcp initialize ms", 150, ms],
  ["`initialize` of `ikigai acp`", "acp initialize ms", 150, ms],
  ["a call over MCP, more than inside the host", "mcp call, more ms", 3, ms],
  ["a call of an MCP server's tool, more than by the SDK's client", "mcp tool, more ms", 3, ms],
  ["the first one, which starts the server", "mcp tool first call, more ms", 150, ms],
  ["60 tools of an MCP server, more until the first request", "60 mcp tools, more ms at start", 5, ms],
  ["schemas in the first request with 500 tools", "many tools, first request bytes", 16_384, kib],
  ["500 tools, more until the first request", "many tools, first request ms more", 5, ms],
  ["a call of `load`, more than the start of its process", "load ms more", 20, ms],
  ["a hook for `sh`, p50", "hook ms", 5, ms],
  ["call, prestarted, p50", "ahead p50, small host", 3.5, ms],
  ["call, prestarted, p95", "ahead p95, small host", 5, ms],
  ["the same against the tool in C, small host", "ahead against C, small host", 1.25, times],
  ["the same, host of 130 MB and more", "ahead against C, large host", 0.5, times],
  ["TOOL on its own against `node -e 0`", "one-shot TOOL", 1.35, times],
  ["`ikigai --version` against `node -e 0`", "version ratio", 1.2, times],
  ["`ikigai --help` against `node -e 0`", "help ratio", 1.2, times],
  ["prompt on the screen against `node -e 0`", "prompt ratio", 3, times],
  ["key press to screen under load, p95", "key p95 ms", 30, ms],
  ["finding 200 unchanged tools", "discovery ms", 3, ms],
  ["tools started during that discovery", "discovery spawns", 0, count],
  ["grep against GNU grep, worst pattern in a tree of 1.3 GB", "grep against GNU grep in the tree", 1, times],
  ["the same on one processor", "grep against GNU grep in the tree, on one processor", 1, times],
  ["the same in a log of 500 MB", "grep against GNU grep in a log of 500 MB", 1, times],
  ["grep against rg with two processors, worst pattern in the tree", "grep against rg in the tree", 1.5, times],
  ["the same in the log", "grep against rg in a log of 500 MB", 1.5, times],
  ["memory of grep in the tree", "grep MiB", 100, mib],
  ["glob `**` against find", "glob against find", 1.2, times],
  ["file_read against `sed -n`, line 5,000,000 of the log", "file_read against sed", 1.3, times],
  ["the same, line 150,000 of a file of 10 GB", "file_read near the start against sed", 1.3, times],
  ["the same, prestarted", "file_read ahead against sed", 1.3, times],
  ["memory of file_read in a file of 10 GB", "file_read MiB", 100, mib],
  ["web_fetch of a page of 73 kB against `node -e 0`", "web page against node -e 0", 1.6, times],
  ["the same, served, p50", "web page served p50", 60, ms],
  ["web_fetch of a page of 1 MB", "web page of 1 MB ms", 300, ms],
  ["memory of web_fetch with a page of 1 MB", "web MiB", 120, mib],
  ["resuming a session of 10,000 turns", "resume ms", 500, ms],
];

/** Returns the rows of the table: the fixed targets, and the best of the other agents that were run. */
export function targetRows(figures) {
  const rows = targets.flatMap(([what, name, most, write]) =>
    subjectsOf(name, figures).map((subject) => {
      const figure = figures[name.replace("TOOL", subject)];
      return row(what.replace("TOOL", subject), `≤ ${write(most)}`, figure, most, write);
    }),
  );
  return [...rows, ...peerRows(figures)];
}

/** Returns the tools with a figure that TOOL in a name stands for; for a name without TOOL one empty string if it has a figure. */
function subjectsOf(name, figures) {
  const [before] = name.split("TOOL");
  if (before === name) return name in figures ? [""] : [];
  return Object.keys(figures).flatMap((key) => (key.startsWith(before) ? [key.slice(before.length)] : []));
}

/** Whether a key is that of this figure of another agent. */
export function isOfPeer(key, figure) {
  return new RegExp(`^(?:codex|claude|pi|gemini|opencode) ${figure}$`).test(key);
}

/** The figures of other agents that ikigai's are compared with. */
const compared = [
  ...["session ms", "first request ms", "turn ms", "RSS"].map((name) => ["the same session in other agents", name]),
  ...["key ms", "key while streaming ms", "answer bytes", "answer CPU ms", "idle CPU %", "screen RSS"].map((name) => {
    return ["the full screens of other agents", name];
  }),
];

function peerRows(figures) {
  return compared.flatMap(([what, name]) => {
    const write = name.endsWith("RSS") ? mib : name.endsWith(" ms") ? ms : count;
    const others = Object.entries(figures).filter(([key]) => isOfPeer(key, name));
    const [best] = others.sort((a, b) => a[1] - b[1]);
    const ours = figures[`ikigai ${name}`];
    if (!best || ours === undefined) return [];
    const [agent] = best[0].split(" ");
    return [row(`${what}: ${name}`, `< ${write(best[1])} (${agent})`, ours, best[1], write)];
  });
}

function row(what, target, value, most, write) {
  return [what, target, write(value), value <= most ? "reached" : "**not reached**"];
}
