// Exports a session for people, as Markdown or as one HTML page, also fit to be shown to others: keys, home directories and hosts
// are replaced, the same one by the same text everywhere, and images are left out, because nothing can look into them. A separate
// entry, so that programs load it only when they need it.

import { redact } from "@ikigai/system";
import type { Conversation } from "./conversation.ts";
import type { ExportOptions } from "./export/page.ts";
import { markdownOf, readTranscript, transcriptOf } from "./export/transcript.ts";
import type { SessionLine } from "./log/events.ts";
import { dataElement, type StoredSession } from "./manage.ts";

export type { ChangedLine, CodeKind, CodePiece, ReadCode } from "./export/markdown-html.ts";
export type { CallDescription, ExportOptions } from "./export/page.ts";
export { exportMarkdown, type PastCall } from "./export/transcript.ts";

/**
 * Exports a session as one HTML file for people. It loads nothing, and whatever the session contains, it runs nothing but its own
 * search: the page's policy allows only that script, by its SHA-256.
 *
 * @throws the system's error if the session cannot be read; AgentError `session_not_saved`.
 */
export async function exportHtml(conversation: Conversation, options: ExportOptions = {}): Promise<string> {
  const transcript = readTranscript(conversation);
  // Large, and rarely needed.
  const { htmlPage } = await import("./export/page.ts");
  return htmlPage(transcript, options);
}

/** A session without files of its own, as Markdown. */
export function storedMarkdown(session: StoredSession): string {
  return markdownOf(transcriptOf(session, () => false));
}

/** A session without files of its own as one page, which `importSession` reads again. */
export async function sharedPage(session: StoredSession, options: ExportOptions = {}): Promise<string> {
  const { htmlPage } = await import("./export/page.ts");
  return htmlPage(
    transcriptOf(session, () => false),
    options,
    dataElement(session),
  );
}

/** What is known about who shares. */
export interface Sharer {
  /** Keys, exactly. */
  readonly secrets: readonly string[];
  readonly userHome: string;
  readonly userName: string;
  /** The name of this machine. */
  readonly hostName: string;
}

/** What was replaced. */
export interface Replaced {
  readonly kind: "key" | "home" | "user" | "host";
  /** The text that was there; a key is not repeated. */
  readonly text: string;
  readonly by: string;
  readonly count: number;
}

/** The forms of keys that services issue, and what is written like one. */
const keyPatterns: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
  /\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abeprs]-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bnpm_[A-Za-z0-9]{30,}|\bhf_[A-Za-z0-9]{20,}|\bya29\.[\w-]{20,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+/g,
  /(?<=\b(?:Bearer|Basic)\s{1,4})[\w.~+/-]{12,}=*/g,
  /(?<=:\/\/[^\s/:@"\\]{1,64}:)[^\s/@"\\]{3,}(?=@)/g,
  /(?<=(?:password|passwd|secret|token|api[_-]?key)(?:\\*["'])?\s{0,4}[:=]\s{0,4}(?:\\*["'])?)[^\s"'\\,;(){}[\]<>$]{8,}/gi,
];

/** Hosts that say nothing about anyone. */
const publicHosts =
  /(?:^|\.)(?:localhost|example\.(?:com|org|net)|github\.com|githubusercontent\.com|gitlab\.com|npmjs\.(?:org|com)|pypi\.org|crates\.io|docs\.rs|nodejs\.org|python\.org|golang\.org|go\.dev|rust-lang\.org|w3\.org|json-schema\.org|mozilla\.org|wikipedia\.org|anthropic\.com|openai\.com|googleapis\.com|127\.0\.0\.1|0\.0\.0\.0|host-\d+)$/i;

/** Names of hosts in URLs and after an @, and addresses. */
const hostPattern =
  /(?<=[a-z][a-z0-9+.-]*:\/\/(?:[^\s/@"\\]*@)?)[A-Za-z0-9][\w.-]*[A-Za-z0-9]|(?<=[\w.+-]@)[A-Za-z0-9][\w-]*(?:\.[\w-]+)+|\b(?:\d{1,3}\.){3}\d{1,3}\b/g;

/** Names of accounts that say nothing about anyone. */
const commonNames = new Set(["root", "user", "admin", "ubuntu", "node", "runner", "home", "test"]);

/** Returns the session as others may see it, and what was replaced. */
export function redactSession(session: StoredSession, sharer: Sharer) {
  const replacer = createReplacer(sharer);
  const lines = session.lines.flatMap((line) => shown(line, replacer.replace) ?? []);
  const cwd = replacer.replace(session.cwd);
  return { session: { ...session, cwd, name: replacer.replace(session.name), lines }, replaced: replacer.replaced() };
}

function createReplacer({ secrets, userHome, userName, hostName }: Sharer) {
  const found = new Map<string, Replaced>();
  const hosts = new Map<string, string>();
  const note = (kind: Replaced["kind"], text: string, by: string) => {
    const key = `${kind} ${text}`;
    found.set(key, { kind, text: kind === "key" ? "" : text, by, count: (found.get(key)?.count ?? 0) + 1 });
    return by;
  };
  const asHost = (name: string) => {
    if (publicHosts.test(name)) return name;
    const by = hosts.get(name.toLowerCase()) ?? `host-${hosts.size + 1}`;
    hosts.set(name.toLowerCase(), by);
    return note("host", name, by);
  };
  const words = (text: string) =>
    new RegExp(`(?<![\\w-])${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`, "g");
  const isTelling = userName.length > 2 && !commonNames.has(userName);
  const own = hostName.length > 2 && !publicHosts.test(hostName) ? words(hostName) : undefined;
  const homes = userHome.length > 1 ? words(userHome) : undefined;
  const replace = (text: string) => {
    let now = redact(text, secrets);
    if (now !== text) note("key", text, "[key removed]");
    for (const pattern of keyPatterns) now = now.replace(pattern, (key) => note("key", key, "[key removed]"));
    if (homes) now = now.replace(homes, () => note("home", userHome, "~"));
    now = now.replace(/(?<=\/(?:home|Users)\/)[\w.-]+/g, (name) =>
      commonNames.has(name) ? name : note("user", name, "user"),
    );
    now = now.replace(hostPattern, asHost);
    if (own) now = now.replace(own, asHost);
    return isTelling ? now.replace(words(userName), () => note("user", userName, "user")) : now;
  };
  return { replace, replaced: (): Replaced[] => [...found.values()].sort((a, b) => a.kind.localeCompare(b.kind)) };
}

/** What a page needs of a line, with replaced texts; `undefined` for a line that is not for people. */
function shown(line: SessionLine, replace: (text: string) => string): SessionLine | undefined {
  switch (line.type) {
    case "session":
    case "user":
    case "name":
    case "typed_call":
    case "text":
    case "reasoning":
    case "tool_call":
    case "step_end":
    case "tool_result":
    case "turn_end": {
      const {
        images: _i,
        visuals: _v,
        metadata: _m,
        context: _c,
        changed: _d,
        overflowFile: _o,
        ...kept
      } = line as SessionLine & Others;
      return replaced(kept, replace) as SessionLine;
    }
    default:
      return undefined;
  }
}

/** Fields that are not for others: images, what only a provider reads, what hooks and the system prompt say. */
interface Others {
  readonly images?: unknown;
  readonly visuals?: unknown;
  readonly metadata?: unknown;
  readonly context?: unknown;
  readonly changed?: unknown;
  readonly overflowFile?: unknown;
}

function replaced(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === "string") return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaced(item, replace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, replace)]));
}
