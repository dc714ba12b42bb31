import { untrustedWords } from "@ikigai/core/internal";
import { failureLine, labelledRules, skillProblems, untrustedNotice } from "../render/report-tools.ts";
import { sanitise, sanitiseLine } from "../render/sanitise.ts";
import type { Session } from "./session.ts";

/** Most lines at once: a project can have thousands of files that are no tools. */
const maxLines = 40;

/** Checks the sandbox of the mode `auto`, and says when that had to become `ask`. */
export function checkSandbox({ agent, screen, input }: Session): Promise<void> {
  const { sandbox, permission } = agent;
  if (permission.mode !== "auto") return Promise.resolve();
  return sandbox.check(permission, (text) =>
    input.aside(() => screen.print(`${screen.style.yellow(sanitise(text))}\n`)),
  );
}

/** Waits for the tools and reports load errors, each once until it changes. */
export async function reportLoadErrors({ agent, screen, input, told }: Session): Promise<void> {
  const registry = await agent.toolbox.current();
  const { failed, problems } = registry;
  const rules = labelledRules(agent);
  const unknown =
    rules.length === 0
      ? []
      : (await import("../render/rule-warnings.ts")).ruleWarnings(rules, registry, "/tool lists the tools.");
  const { style } = screen;
  // Only commands, hooks or agents may have changed: these are not among what was not loaded.
  const { trust } = registry;
  const changed = trust === "changed" ? `The project is ${untrustedWords(trust)} — /trust` : undefined;
  const untrusted = untrustedNotice(registry, "/trust") ?? changed;
  const lines = [
    ...failed
      .filter(({ reason }) => reason !== "untrusted")
      .map((failure) => ({
        key: `${failure.path}\n${failure.reason}\n${failure.detail}`,
        text: (failure.isLaunched ? style.yellow : style.dim)(failureLine(failure)),
      })),
    ...skillProblems(registry).map((problem) => ({ key: problem, text: style.dim(problem) })),
    ...problems.map((problem) => ({ key: problem, text: style.yellow(sanitiseLine(problem)) })),
    ...unknown.map((warning) => ({ key: warning, text: style.yellow(warning) })),
    ...(untrusted === undefined ? [] : [{ key: untrusted, text: style.yellow(untrusted) }]),
  ];
  const news = lines.filter(({ key }) => !told.has(key));
  // An error that is fixed and returns is reported again.
  told.clear();
  for (const { key } of lines) told.add(key);
  if (news.length === 0) return;
  // What needs the user's decision is at the end.
  const shown = news.length > maxLines ? news.slice(-maxLines) : news;
  const more = news.length - shown.length;
  const rest = more > 0 ? [style.dim(`${more} more: ikigai tool list`)] : [];
  input.aside(() => screen.print([...rest, ...shown.map(({ text }) => text)].map((text) => `${text}\n`).join("")));
}
