// Promise 3 of SECURITY.md.
import fc from "fast-check";
import { expect, test } from "vitest";
import { isSpecial, specialSubnets } from "../src/addresses.ts";

/** The first and the last address of each range, and what is next to it if that is a host's. */
test.each([
  ["0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
  ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
  ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
  ["168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"],
  ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
  ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
  ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
  ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
  ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
  ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
  ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
  ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
  ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
  ["224.0.0.0", "255.255.255.255", "223.255.255.255"],
  ["::", "::ffff:ffff"],
  ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  ["100::", "100::1:ffff:ffff:ffff:ffff"],
  ["1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "1fff::", "2000::"],
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff::", "2001:db9::"],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:ffff::", "2003::"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe:ffff::", "3fff:1000::"],
  ["4000::", "5eff:ffff::"],
  ["5f00::", "5f00:ffff::"],
  ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
])("blocks %s to %s, and not what is next to it", (first, last, ...outside) => {
  expect([first, last, ...outside].map(isSpecial)).toEqual([true, true, ...outside.map(() => false)]);
});

test.each(["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::8.8.8.8", "64:ff9b::808:808"])(
  "does not block %s",
  (address) => {
    expect(isSpecial(address)).toBe(false);
  },
);

test.each([
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "0:0:0:0:0:ffff:a9fe:a9fe",
  "::FFFF:169.254.169.254",
  "64:ff9b::127.0.0.1",
  "64:ff9b::7f00:1",
  "0064:ff9b:0000::a9fe:a9fe",
  "64:ff9b::",
  "64:ff9b::1",
  "64:ff9b::a00:0",
  "fe80::1%eth0",
  "::1%1",
  "not an address",
  "",
])("blocks %s", (address) => {
  expect(isSpecial(address)).toBe(true);
});

const bytes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));

test("blocks an IPv4 address in IPv6 exactly if it blocks the IPv4 address", () => {
  fc.assert(
    fc.property(bytes, (all) => {
      const [a, b, c, d] = all;
      const plain = all.join(".");
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      for (const spelling of [`::ffff:${plain}`, `::ffff:${hex}`, `64:ff9b::${plain}`, `64:ff9b::${hex}`])
        expect([spelling, isSpecial(spelling)]).toEqual([spelling, isSpecial(plain)]);
      expect(isSpecial(`::${plain}`)).toBe(true);
    }),
  );
});

/** An address as a number. */
function numberOf(address: string): bigint {
  if (!address.includes(":")) return address.split(".").reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const [head = "", tail] = address.split("::");
  const groups = (text: string | undefined) => (text ? text.split(":") : []);
  const zeros = Array(8 - groups(head).length - groups(tail).length).fill("0");
  const all = tail === undefined ? groups(head) : [...groups(head), ...zeros, ...groups(tail)];
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

test("agrees with arithmetic about random addresses", () => {
  const ranges = (isV6: boolean) =>
    specialSubnets
      .filter((subnet) => subnet.includes(":") === isV6)
      .map((subnet) => {
        const [address = "", bits] = subnet.split("/");
        const shift = BigInt((isV6 ? 128 : 32) - Number(bits));
        return [numberOf(address) >> shift, shift] as const;
      });
  const isExpected = (address: string) =>
    ranges(address.includes(":")).some(([prefix, shift]) => numberOf(address) >> shift === prefix);
  const group = fc.oneof(fc.constantFrom(0, 0xffff, 0x2001, 0xdb8, 0x64, 0xff9b, 0xfe80), fc.nat(0xffff));
  fc.assert(
    fc.property(bytes, fc.array(group, { minLength: 8, maxLength: 8 }), (four, eight) => {
      const v4 = four.join(".");
      expect([v4, isSpecial(v4)]).toEqual([v4, isExpected(v4)]);
      const v6 = eight.map((value) => value.toString(16)).join(":");
      const isMapped = /^(?:0:){5}ffff:|^64:ff9b:0:0:0:0:/.test(v6);
      if (!isMapped) expect([v6, isSpecial(v6)]).toEqual([v6, isExpected(v6)]);
    }),
    { numRuns: 1_000 },
  );
});
