/**
 * Removes passwords and tokens from the URLs in a text, or from a single URL, for display and storage. However malformed a URL
 * is, nothing before its last `@` is shown. The user of ssh stays, since it is part of the address (`git@host`).
 */
export function withoutPassword(text: string): string {
  const clean = text.replace(/([a-z][a-z0-9+.-]*:\/\/)(\S*)/gi, (_, scheme: string, rest: string) =>
    strip(scheme, rest),
  );
  // A proxy may be given without a scheme.
  return clean === text && !text.includes("://") ? text.replace(/^[^\s@]*:\S*@/, "") : clean;
}

function strip(scheme: string, rest: string): string {
  const [authority = ""] = /^[^/?#]*/.exec(rest) ?? [];
  const at = authority.lastIndexOf("@");
  if (at >= 0) {
    const [name = ""] = authority.split(/[:@]/, 1);
    const user = /^(git\+)?ssh:/i.test(scheme) && name !== "" ? `${name}@` : "";
    return scheme + user + rest.slice(at + 1);
  }
  // A password with a slash: the intended host follows the last @.
  return scheme + (URL.canParse(scheme + rest) ? rest : rest.slice(rest.lastIndexOf("@") + 1));
}
