// Replays edits and commands of a corpus on a copy of a checkout.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { startMcp } from "./rpc-server.mjs";

/** How long a command may run before it continues as a job, in milliseconds: less than the tool's own 30 s, since most that take 10 take longer. */
const timeoutMs = 10_000;

/** Files of an edit, in bytes. */
const maxEditedBytes = 200_000;

/** The longest block that file_edit sends back, in bytes. */
const maxFoundBytes = 4_096;

/** Copies a checkout, so that it can be changed, and starts the tools there. */
export async function changesOf(checkout, place) {
  const dir = join(place, basename(checkout));
  cpSync(checkout, dir, { recursive: true, verbatimSymlinks: true });
  const git = (...args) => execFileSync("git", args, { cwd: dir, encoding: "utf8", maxBuffer: 2 ** 26, stdio: "pipe" });
  if (!existsSync(join(dir, ".git"))) {
    git("init", "-q");
    git("add", "-A");
    git("-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-qm", "All");
  }
  const home = join(place, "home");
  mkdirSync(home);
  const server = await startMcp({ cwd: dir, home }, "--permission-mode", "auto");
  const probe = await server.ask("bash", { command: "touch /usr/ikigai-bench" });
  if (!/Read-only file system/.test(probe.text)) throw new Error(`Commands would run without a sandbox: ${probe.text}`);
  const files = git("ls-files", "-z")
    .split("\0")
    .filter((file) => isEdited(join(dir, file)));
  return {
    dir,
    files,
    ask: server.ask,
    end: server.end,
    restore() {
      if (git("status", "--porcelain", "--ignored") === "") return;
      git("reset", "-q", "--hard");
      git("clean", "-fdqx");
    },
    isFor({ command }, { index, at, checkouts }) {
      const named = checkouts.findIndex((one) => command.includes(`/${repositoryOf(one)}/`));
      return named < 0 ? index % checkouts.length === at : named === at;
    },
  };
}

function isEdited(file) {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size === 0 || stats.size > maxEditedBytes) return false;
  const bytes = readFileSync(file);
  return !bytes.includes(0) && bytes.equals(Buffer.from(bytes.toString("utf8")));
}

/** How an edit's old text differs from the file: not at all, or as models get it wrong. */
const slips = [
  ["exact", (text) => text],
  [
    "white space",
    (text) =>
      text
        .replaceAll("\t", "    ")
        .replace(/ +$/gm, "")
        .replace(/^ {2,}/gm, (indent) => indent.slice(1)),
  ],
  ["quotes", (text) => text.replaceAll("'", "’").replace(/"/g, "”")],
  ["a word", (text) => text.replace(/\b(\w{3})(\w)(\w*\W*)$/, "$1$3")],
];

let edits = 0;

/** Replays the shape of an edit on a text of a file that has it. */
export async function editReplay({ dir, files, ask }, shape) {
  const [slip, change] = slips[edits++ % slips.length];
  const { file, text, old } = placeOf(dir, files, shape, edits);
  const replacement = newText(old, shape);
  const expected = text.replace(old, () => replacement);
  const wanted = change(old);
  const input = { path: file, oldText: wanted, newText: replacement };
  const call = { name: "file_edit", input: { slip, ...shape, file, old: old.slice(0, 200) }, bytes: 0 };
  let answer = await ask("file_edit", input);
  call.bytes = Buffer.byteLength(answer.text);
  if (answer.error === "TOOL_DENIED") return [call, dir, ["no one's", `asks: ${answer.document?.error}`]];
  let reason;
  if (wanted !== old && !text.includes(wanted)) {
    const { found, hint } = answer.document ?? {};
    if (answer.error !== "NOT_FOUND") reason = ["ours", `expected NOT_FOUND, got ${answer.text.slice(0, 200)}`];
    else if (found === undefined && Buffer.byteLength(old) > maxFoundBytes && hint) reason = ["no one's", ""];
    else if (found === undefined) reason = ["ours", `nothing to send back: ${hint}`];
    else answer = await ask("file_edit", { ...input, oldText: found });
  }
  const written = readFileSync(join(dir, file), "utf8");
  writeFileSync(join(dir, file), text);
  if (reason) return [call, dir, reason];
  if (answer.error) return [call, dir, ["ours", answer.text.slice(0, 300)]];
  // A text that is sent back may begin and end elsewhere, with the same change.
  const isDone = wanted === old ? written === expected : written.includes(replacement);
  return [call, dir, isDone ? undefined : ["ours", "another text was changed"]];
}

/** The text of a file that comes closest to an edit's old text: the same number of lines, and once in the file. */
function placeOf(dir, files, shape, seed) {
  let best;
  for (let tried = 0; tried < 12; tried++) {
    const file = files[(seed * 7 + tried * 13) % files.length];
    const text = readFileSync(join(dir, file), "utf8");
    const lines = text.split("\n");
    for (let first = seed % 5; first + shape.old_lines <= lines.length; first += 3) {
      const whole = lines.slice(first, first + shape.old_lines).join("\n");
      const old = shape.leading_indent ? whole : whole.trimStart();
      if (old.trim().length < 8 || text.split(old).length !== 2) continue;
      const distance =
        Math.abs(old.length - shape.old_length) / shape.old_length +
        Number(/^\s/.test(old) !== shape.leading_indent) +
        Number(old.includes("\t") !== shape.tab) +
        Number(old.includes("\r\n") !== shape.crlf) +
        Number(/[^\0-\x7f]/.test(old) !== shape.non_ascii);
      if (best === undefined || distance < best.distance) best = { distance, file, text, old };
    }
  }
  return best ?? placeOf(dir, files, { ...shape, old_lines: Math.ceil(shape.old_lines / 2) }, seed + 1);
}

/** As many lines as the edit's new text has. */
function newText(old, { new_lines, new_length, non_ascii }) {
  const lines = old.split("\n").slice(0, new_lines);
  while (lines.length < new_lines) lines.push(`${/^\s*/.exec(lines[0])[0]}line ${lines.length}`);
  lines[0] += ` ${non_ascii ? "→" : "-"} ${"x".repeat(Math.max(new_length - lines.join("\n").length, 1))}`;
  return lines.join("\n");
}

/** Paths of the machine that a call was made on, to a checkout like this one, lead here. */
export function atHome(text, dir) {
  const name = repositoryOf(dir).replace(/[.+]/g, "\\$&");
  return text.replace(new RegExp(`/(?:Users|home)/dev/(?:[\\w.-]+/)*${name}(?![\\w.-])`, "gi"), dir);
}

/** The name of a checkout's repository: `owner+name`, or the directory's. */
export function repositoryOf(dir) {
  return basename(dir).split("+").at(-1);
}

/** Runs a command in the copy. Paths to a task's directory lead there, too. */
export async function runReplay({ dir, ask, restore }, { command }) {
  const input = { command: atHome(command, dir).replace(/(?<![\w.])\/app\b/g, dir), timeout_ms: timeoutMs };
  const answer = await ask("bash", input);
  restore();
  const call = { name: "bash", input, bytes: Buffer.byteLength(answer.text) };
  return [call, dir, commandReason(answer)];
}

/** What a sandbox makes of a harmless command, or the lack of a terminal. */
const refused = [
  /[^\n]*(?:Operation not permitted|Permission denied|bwrap:|seccomp|Bad system call)[^\n]*/,
  /[^\n]*(?:not a (?:tty|terminal)|Inappropriate ioctl|no editor here|TERM environment variable)[^\n]*/i,
];

/** What needs the user: changes outside of the project (the answer says how), and sockets. */
const asking = /[^\n]*(?:Read-only file system|Errno 30|tmux-\d+\/default \(Operation not permitted|setgroups)[^\n]*/;

/** Git, in a command that does other things, too. */
const repository = /[^\n]*\.git\/[^\n]*Read-only file system[^\n]*/;

/** What is not here. */
const absent =
  /[^\n]*(?:command not found|No such file or directory|not a git repository|No module named|ModuleNotFoundError|cannot access|does not exist|can't open file|not found|No such container|Could not resolve|Connection refused)[^\n]*/;

function commandReason({ error, text, document = {} }) {
  const said = document.output ?? document.stdout ?? "";
  if (error === "TOOL_DENIED") return ["no one's", `asks: ${document.error ?? text.slice(0, 300)}`];
  const host = /host ([\w.:-]+): not allowed/.exec(text);
  if (host) return ["no one's", `asks: host ${host[1]}`];
  if (error === "TOOL_TIMEOUT") return ["no one's", `would continue as a job in a conversation: ${said.slice(-200)}`];
  if (error !== undefined) return ["ours", text.slice(0, 300)];
  const git = repository.exec(said);
  if (git) return ["ours", git[0]];
  const wish = asking.exec(said);
  if (wish) return ["no one's", `asks: ${wish[0]}`];
  const refusal = refused.map((expression) => expression.exec(said)).find(Boolean);
  if (refusal) return ["ours", refusal[0]];
  if (document.exit_code === 0 || document.exit_code === undefined) return undefined;
  return ["the call's", absent.exec(said)?.[0] ?? `exit ${document.exit_code}: ${said.slice(-200)}`];
}
