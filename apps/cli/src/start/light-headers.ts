// `Headers` for the provider packages, which scripts/bundle-cli.mjs uses instead of the platform's.

/**
 * Replaces the platform's `Headers` in the bundle: using that one loads all of undici, which adds 19 ms to the first request. The
 * provider packages only set and read a few names.
 */
export class Headers extends Map<string, string> {
  constructor(init: Iterable<readonly [string, string]> | Readonly<Record<string, string>> = []) {
    super();
    for (const [name, value] of Symbol.iterator in init ? init : Object.entries(init)) this.set(name, value);
  }

  override get(name: string) {
    return super.get(name.toLowerCase());
  }

  override has(name: string) {
    return super.has(name.toLowerCase());
  }

  override set(name: string, value: string) {
    return super.set(name.toLowerCase(), value);
  }

  override delete(name: string) {
    return super.delete(name.toLowerCase());
  }
}
