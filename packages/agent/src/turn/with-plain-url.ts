import type { CallArguments } from "@ikigai/core/internal";
import { namesTool, type PermissionRule, parseRule, readUrl } from "@ikigai/permission";
import { printed } from "./with-own-names.ts";

/**
 * Returns the arguments of a call with its `url` as the WHATWG standard writes it, if a rule is about the hosts of this tool: the tool
 * must not find another host in it than the rule. The same for a system tool, for which such a rule may be added while the call waits.
 * Other tools get what the model wrote.
 */
export function withPlainUrl(
  { name, isSystem }: { readonly name: string; readonly isSystem: boolean },
  args: CallArguments,
  rules: readonly PermissionRule[],
): CallArguments {
  const { url } = args.value;
  const href = typeof url === "string" ? readUrl(url)?.href : undefined;
  if (href === undefined || href === url) return args;
  if (!isSystem && !rules.some((rule) => isAboutHosts(rule, name))) return args;
  return printed({ ...args.value, url: href }) ?? args;
}

function isAboutHosts({ rule }: PermissionRule, name: string): boolean {
  const parts = parseRule(rule);
  return parts?.domain !== undefined && namesTool(parts, name);
}
