import { privacyProblems, type ToolRules } from "@ikigai/agent/internal";

/** Limit of notices to print; `ikigai doctor` lists all. */
const maxPrivacyNotices = 2;

/** Files of the user's directory that others can read or change, one per line. */
export function privacyNotices(home: string): string[] {
  const problems = privacyProblems(home);
  const more = problems.length - maxPrivacyNotices;
  return [...problems.slice(0, maxPrivacyNotices), ...(more > 0 ? [`${more} more like this: ikigai doctor`] : [])];
}

/** Says that tools run in the sandbox, and which do not. */
export function sandboxNotices({ sandbox, launchers }: ToolRules): string[] {
  if (!sandbox) return [];
  const elsewhere = Object.keys(launchers);
  const reach = sandbox.network ? "with network access" : "without network access";
  return [
    `Tools run in the sandbox: they can change only the project, ${reach}.`,
    ...(elsewhere.length > 0 ? [`Not sandboxed, because they run elsewhere: ${elsewhere.join(", ")}.`] : []),
  ];
}
