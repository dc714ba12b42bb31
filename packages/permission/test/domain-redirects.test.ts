// Promise 6 of SECURITY.md.
import { expect, test } from "vitest";
import { redirectOf } from "../../http/src/send-request.ts";
import { coversHost, type Domain, haveCommonHosts, readDomain, readUrl } from "../src/targets/urls.ts";

const hosts = ["", "www.", "a.", "www.www.", "www.a.", "a.www."].map((labels) => `${labels}evil.example`);
const ports = ["", ":80", ":443", ":8443"];

const texts = ["http", "https"].flatMap((scheme) =>
  hosts.flatMap((host) => ports.flatMap((port) => ["", "."].map((dot) => `${scheme}://${host}${dot}${port}/`))),
);
const addresses = texts.flatMap((text) => readUrl(text) ?? []);
const rules = ["", "*."].flatMap((star) =>
  hosts.flatMap((host) => ports.map((port) => readDomain(`domain:${star}${host}${port}`) as Domain)),
);

function isFollowed(from: string, to: string): boolean {
  try {
    return redirectOf(new URL(from), 302, to) !== undefined;
  } catch {
    return false;
  }
}

test("a rule that denies or asks about an address does so about each from which web_fetch follows a redirect there", () => {
  const redirects = addresses.flatMap((from) =>
    addresses.flatMap((to) => (isFollowed(from.href, to.href) ? [{ from, to }] : [])),
  );
  expect(redirects.filter(({ from, to }) => from.host !== to.host).length).toBeGreaterThan(50);
  const isMissed = (rule: Domain, { from, to }: (typeof redirects)[number]) =>
    coversHost(rule, to, false) && !coversHost(rule, from, false);
  const missed = rules.flatMap((rule) => redirects.filter((redirect) => isMissed(rule, redirect)));
  expect(missed).toEqual([]);
});

test("rules that both decide a call have an address in common", () => {
  const isMissed = (strict: Domain, other: Domain) =>
    !haveCommonHosts(strict, other) &&
    addresses.some((address) => coversHost(strict, address, false) && coversHost(other, address, true));
  expect(rules.flatMap((strict) => rules.filter((other) => isMissed(strict, other)))).toEqual([]);
});
