import { privacyProblems } from "@ikigai/agent/internal";

/** A few of them say enough; all are in `ikigai doctor`. */
const maxPrivacyNotices = 2;

/** What of the user's own directory others can read or change, a line each. */
export function privacyNotices(home: string): string[] {
  const problems = privacyProblems(home);
  const more = problems.length - maxPrivacyNotices;
  return [...problems.slice(0, maxPrivacyNotices), ...(more > 0 ? [`${more} more like this: ikigai doctor`] : [])];
}
