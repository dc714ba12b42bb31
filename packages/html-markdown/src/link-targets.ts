/** Longer ones are hardly useful and could multiply the size of a page. */
const maxUrlChars = 2048;
const linkable = /^(?:https?|mailto):$/;
const scheme = /^\s*([a-z][a-z0-9+.-]*:)/i;

/** Makes the links of a page absolute. */
export class LinkTargets {
  readonly #page: string;
  readonly #base: string;
  readonly #known = new Map<string, string | undefined>();

  constructor(page: string, baseHref: string | undefined) {
    this.#page = page;
    const base = baseHref === undefined ? undefined : parse(baseHref, page);
    this.#base = base && /^https?:$/.test(base.protocol) && base.href.length <= maxUrlChars ? base.href : page;
  }

  /** The absolute URL, ready to be put between parentheses; nothing for other schemes than http, https and mailto. */
  resolve(href: string): string | undefined {
    if (!this.#known.has(href)) this.#known.set(href, this.#resolve(href));
    return this.#known.get(href);
  }

  /** Whether a link leads to another place on the same page. */
  isSamePage(href: string): boolean {
    if (/^\s*#/.test(href)) return true;
    const url = this.resolve(href);
    return url?.includes("#") === true && withoutFragment(url) === withoutFragment(this.#page);
  }

  #resolve(href: string): string | undefined {
    const named = scheme.exec(href)?.[1]?.toLowerCase();
    if (href.length > maxUrlChars || (named && !linkable.test(named))) return undefined;
    const url = parse(href, this.#base);
    if (!url || !linkable.test(url.protocol) || url.href.length > maxUrlChars) return undefined;
    return escapeUrl(url.href);
  }
}

function parse(href: string, base: string): URL | undefined {
  return URL.canParse(href, base) ? new URL(href, base) : undefined;
}

function withoutFragment(url: string): string {
  const hash = url.indexOf("#");
  return hash < 0 ? url : url.slice(0, hash);
}

/** Encodes what would end a Markdown link, and backslashes, backticks and vertical bars, which mean something before links do. */
function escapeUrl(url: string): string {
  const encoded = url.replace(/[\s\p{Cc}\\`|<>]/gu, (character) => encodeURIComponent(character));
  const escaped = encoded.replace(/&(?=#?\w+;)/g, "\\&");
  return hasBalancedParentheses(escaped) ? escaped : escaped.replaceAll("(", "%28").replaceAll(")", "%29");
}

function hasBalancedParentheses(url: string): boolean {
  let depth = 0;
  for (const [parenthesis] of url.matchAll(/[()]/g)) {
    depth += parenthesis === "(" ? 1 : -1;
    // CommonMark lets parsers stop at 32 levels.
    if (depth < 0 || depth > 4) return false;
  }
  return depth === 0;
}
