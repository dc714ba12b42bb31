#!/usr/bin/env node
// A language server that calls each line with BAD an error, and each with ODD a warning. As its first argument says, it is rude: it hangs,
// dies at a file with DIE, prints without end at one with FLOOD, answers in the wrong order and for old versions, or gives no version.
const manner = process.argv[2] ?? "polite";
let rest = Buffer.alloc(0);
const files = new Map();

process.stdin.on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (;;) {
    const head = rest.indexOf("\r\n\r\n");
    if (head < 0) return;
    const length = Number(/Content-Length: (\d+)/.exec(rest.subarray(0, head).toString())[1]);
    if (rest.length < head + 4 + length) return;
    const message = JSON.parse(rest.subarray(head + 4, head + 4 + length).toString());
    rest = rest.subarray(head + 4 + length);
    take(message);
  }
});
process.stdin.on("end", () => process.exit());

function send(message) {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function take({ id, method, params }) {
  if (manner === "hangs") return;
  if (method === "initialize") {
    send({ id, result: { capabilities: { textDocumentSync: 1, definitionProvider: true } } });
  } else if (method === "textDocument/didOpen") {
    const { uri, version, text } = params.textDocument;
    publish(uri, version, text);
  } else if (method === "textDocument/didChange") {
    publish(params.textDocument.uri, params.textDocument.version, params.contentChanges[0].text);
  } else if (method === "textDocument/definition") {
    const { uri } = params.textDocument;
    const place = { uri, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } } };
    // An answer to a request that no one has made comes first.
    if (manner === "disorderly") send({ id: 9_999, result: null });
    send({ id, result: [place] });
  } else if (id !== undefined) send({ id, result: null });
}

function publish(uri, version, text) {
  if (text.includes("DIE")) process.exit(3);
  if (text.includes("FLOOD")) for (;;) process.stdout.write("x".repeat(65_536));
  const say = (version, text) => {
    const problems = text.split("\n").flatMap((line, index) => {
      const severity = line.includes("BAD") ? 1 : line.includes("ODD") ? 2 : undefined;
      const range = { start: { line: index, character: 0 }, end: { line: index, character: line.length } };
      return severity ? { range, severity, message: `wrong: ${line}`, source: "words", code: severity } : [];
    });
    send({
      method: "textDocument/publishDiagnostics",
      params: { uri, ...(version && { version }), diagnostics: problems },
    });
  };
  const old = files.get(uri);
  files.set(uri, { version, text });
  if (manner === "disorderly" && old) {
    say(old.version, `${old.text}\nBAD old`);
    say(version, text);
    say(old.version, `${old.text}\nBAD old`);
  } else if (manner === "late") setTimeout(() => say(version, text), old ? 2_500 : 0);
  else say(manner === "unversioned" ? undefined : version, text);
}
