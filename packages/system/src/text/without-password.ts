/**
 * A text with URLs in it, or one URL, as it may be shown and written down: without passwords, and without the tokens that stand
 * for a user name. However badly a URL is written, nothing before its last `@` is shown. The user of ssh stays, as it is part
 * of the address (`git@host`).
 */
export function withoutPassword(text: string): string {
  const clean = text.replace(/([a-z][a-z0-9+.-]*:\/\/)(\S*)/gi, (_, scheme: string, rest: string) =>
    strip(scheme, rest),
  );
  // A proxy may be written without a scheme.
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
  // A password with a slash: what was meant as the host comes after the last @.
  return scheme + (URL.canParse(scheme + rest) ? rest : rest.slice(rest.lastIndexOf("@") + 1));
}
