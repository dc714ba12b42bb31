// Promise 3 of SECURITY.md.
import type { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { addressPolicy } from "../src/address-policy.ts";
import { isIn, listOf, ownAddresses, ownSubnets } from "../src/addresses.ts";

const about = { internal: false, mac: "02:00:00:00:00:00" } as const;

const interfaces: ReturnType<typeof networkInterfaces> = {
  lo: [
    { ...about, family: "IPv4", address: "127.0.0.1", netmask: "255.0.0.0", cidr: "127.0.0.1/8" },
    { ...about, internal: true, family: "IPv4", address: "93.184.217.1", netmask: "", cidr: "93.184.217.1/24" },
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
  // All of a subnet on the loopback interface is this computer.
  ["93.184.217.99", true],
  ["93.184.218.1", false],
  ["2a02:8109:1234:5678::9", true],
  ["2a02:8109:1234:567f:ffff::", true],
  ["2a02:8109:1234:5680::", false],
  ["2a02:8109:1234:566f::", false],
  ["2a03::1", true],
  ["2a03::2", true],
  ["2a03:0:0:1::2", false],
  // The netmask of an address that is special anyway says nothing about global ones.
  ["8000::1", false],
])("whether %s is one of a computer's own: %s", (address, expected) => {
  expect(isIn(listOf(ownSubnets(interfaces)), address)).toBe(expected);
});

test("where the system does not list its addresses, only IKIGAI_WEB_ALLOW opens one", () => {
  const list = () => {
    throw Object.assign(new Error("uv_interface_addresses returned EACCES"), { code: "ERR_SYSTEM_ERROR" });
  };
  const direct = { isProxied: false, mayOpen: true };
  const found = [{ address: "93.184.216.34" }];
  const url = new URL("https://example.com/");
  const refusing = addressPolicy({}, undefined, list).admit(url, direct);
  expect(refusing.usable(found)).toEqual([]);
  expect(refusing.blocked(found).message).toBe(
    "Blocked: The system does not list the addresses of this computer, so any address may be one of them.",
  );
  const opened = addressPolicy({ IKIGAI_WEB_ALLOW: "example.com" }, undefined, list).admit(url, direct);
  expect(opened.usable(found)).toEqual(found);
});

test("an error of another kind is not taken for a system that does not tell", () => {
  expect(() =>
    ownAddresses(() => {
      throw new TypeError("a mistake");
    }),
  ).toThrow("a mistake");
});
