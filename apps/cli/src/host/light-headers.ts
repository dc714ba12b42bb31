/**
 * Stands for the platform's `Headers` in the bundle: naming that one loads all of undici, which takes 19 ms of the time to the
 * first request. The provider packages only put a few names into it, and take them out again.
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
