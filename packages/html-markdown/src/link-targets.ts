// Where the links of a page lead, as absolute URLs, within a limit for all of them.

/** Longer ones are hardly useful and could multiply the size of a page. */
const maxUrlChars = 2048;
const linkable = /^(?:https?|mailto):$/;
const scheme = /^\s*([a-z][a-z0-9+.-]*:)/i;

/** Where a link leads: a URL, unless it is to another place on the same page, or not to be followed. */
interface Target {
  readonly url?: string;
  readonly isSamePage: boolean;
}

/** Makes the links of a page absolute. A long base would multiply the size of a page with many links, so their length is limited. */
export class LinkTargets {
  readonly #page: string;
  readonly #base: string;
  readonly #known = new Map<string, Target>();
  /** How many characters may still be kept, and written. */
  #keptChars: number;
  #writtenChars: number;

  constructor(page: string, baseHref: string | undefined, maxChars: number) {
    this.#page = page;
    this.#keptChars = maxChars;
    this.#writtenChars = maxChars;
    const base = baseHref === undefined ? undefined : parse(baseHref, page);
    this.#base = base && /^https?:$/.test(base.protocol) && base.href.length <= maxUrlChars ? base.href : page;
  }

  /** The absolute URL, ready to be put between parentheses; nothing for other schemes than http, https and mailto. */
  resolve(href: string): string | undefined {
    return this.#target(href).url;
  }

  /** Whether a link leads to another place on the same page. */
  isSamePage(href: string): boolean {
    return this.#target(href).isSamePage;
  }

  /** Whether a URL may be written: not if those that were written are too long together. */
  take({ length }: string): boolean {
    this.#writtenChars -= length;
    return this.#writtenChars >= 0;
  }

  #target(href: string): Target {
    const known = this.#known.get(href);
    if (known) return known;
    if (/^\s*#/.test(href)) return { isSamePage: true };
    if (this.#keptChars < 0) return { isSamePage: false };
    const url = this.#resolve(href);
    const isSamePage = url?.includes("#") === true && withoutFragment(url) === withoutFragment(this.#page);
    const target = { isSamePage, ...(url !== undefined && !isSamePage && { url }) };
    this.#known.set(href, target);
    this.#keptChars -= href.length + (target.url?.length ?? 0);
    return target;
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
