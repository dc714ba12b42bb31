import type { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { ownSubnets } from "../src/own-addresses.ts";
import { isIn, listOf } from "../src/special-addresses.ts";

const about = { internal: false, mac: "02:00:00:00:00:00" } as const;

const interfaces: ReturnType<typeof networkInterfaces> = {
  lo: [
    { ...about, family: "IPv4", address: "127.0.0.1", netmask: "255.0.0.0", cidr: "127.0.0.1/8" },
    { ...about, family: "IPv6", address: "::1", netmask: "", cidr: "::1/128", scopeid: 0 },
  ],
  eth0: [
    { ...about, family: "IPv4", address: "93.184.216.34", netmask: "255.255.255.0", cidr: "93.184.216.34/24" },
    {
      ...about,
      family: "IPv6",
      address: "2a02:8109:1234:5678::9",
      netmask: "",
      cidr: "2a02:8109:1234:5678::9/60",
      scopeid: 0,
    },
    { ...about, family: "IPv6", address: "2a03::1", netmask: "", cidr: null, scopeid: 0 },
    { ...about, family: "IPv6", address: "fe80::9", netmask: "", cidr: "fe80::9/1", scopeid: 2 },
  ],
  missing: undefined,
};

test.each([
  ["93.184.216.34", true],
  ["::ffff:93.184.216.34", true],
  // A network with global IPv4 addresses may be everybody's.
  ["93.184.216.35", false],
  ["2a02:8109:1234:5678::9", true],
  ["2a02:8109:1234:567f:ffff::", true],
  ["2a02:8109:1234:5680::", false],
  ["2a02:8109:1234:566f::", false],
  ["2a03::1", true],
  ["2a03::2", false],
  // The netmask of an address that is special anyway says nothing about global ones.
  ["8000::1", false],
])("whether %s is one of a computer's own: %s", (address, expected) => {
  expect(isIn(listOf(ownSubnets(interfaces)), address)).toBe(expected);
});
