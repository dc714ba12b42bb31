import { expect, test } from "vitest";
import { readToolSchema } from "../src/index.ts";

const base = { name: "x", description: "x", parameters: { type: "object", properties: {} } };

test.each([
  [{ serves: true }, { serves: true }],
  [{ serves: "yes" }, {}],
  [{ service: "github.com_2-x" }, { service: "github.com_2-x" }],
  [{ service: "" }, {}],
  [{ service: "../x" }, {}],
  [{ service: ".x" }, {}],
  [{ service: "x".repeat(64) }, { service: "x".repeat(64) }],
  [{ service: "x".repeat(65) }, {}],
  [{ service: "x\n" }, {}],
  [{ varies: ["pid", "log"] }, { varies: ["pid", "log"] }],
  [{ varies: "pid" }, {}],
  [{ varies: [1] }, {}],
  [{ host: ["ask", "later"] }, { host: ["ask", "later"] }],
  [{ host: "ask" }, {}],
  [{ host: [true] }, {}],
  [{ state: true }, { state: true }],
  [{ state: "yes" }, {}],
])("reads %j as %j", (ikigai, known) => {
  const reading = readToolSchema({ ...base, ikigai }, "x");
  expect("schema" in reading && reading.schema.ikigai).toEqual(known);
});

test.each([
  [{ needs: {} }, {}],
  [{ needs: { hosts: [] } }, {}],
  [{ needs: { hosts: ["api.weather.gov", "*.example.com", "example.com:8443"] } }, undefined],
  [{ needs: { read: ["~/.config/gh", "/etc/ssl"], write: ["~/.cache/x"], env: ["GITHUB_TOKEN"] } }, undefined],
])("reads what a tool needs: %j", ({ needs }, known) => {
  const reading = readToolSchema({ ...base, ikigai: { needs } }, "x");
  expect("schema" in reading && reading.schema.ikigai?.needs).toEqual(known ?? needs);
});

test.each([
  [["api.weather.gov"], '"ikigai.needs": expected an object, got an array'],
  [{ host: ["a.example.com"] }, '"ikigai.needs.host" is unknown; it has the lists hosts, read, write, env'],
  [{ hosts: "a.example.com" }, '"ikigai.needs.hosts": expected a list of strings, got "a.example.com"'],
  [{ hosts: ["https://a.example.com/"] }, 'is not a host; write "api.example.com"'],
  [{ hosts: ["*"] }, "is every host; name the hosts"],
  [{ hosts: ["a.*.com"] }, "is not a host"],
  [{ hosts: ["example.com:65536"] }, "is not a host"],
  [{ hosts: ["localhost:5432"] }, "is an address, or this computer"],
  [{ hosts: ["a.localhost"] }, "is an address, or this computer"],
  [{ hosts: ["10.0.0.1"] }, "is an address, or this computer"],
  [{ hosts: ["[::1]"] }, "is not a host"],
  [{ read: ["notes"] }, 'is not absolute; begin it with "/" or "~/"'],
  [{ read: ["~/a/../.ssh"] }, 'has "." or ".."'],
  [{ read: ["~/*"] }, "has a wildcard or a variable"],
  [{ read: ["~/"] }, "is everything"],
  [{ write: ["/"] }, "is everything"],
  [{ write: ["/home/me/"] }, "is everything"],
  [{ read: ["~/.ikigai/credentials.json"] }, "is ikigai's own"],
  [{ read: ["~/a\u202eb"] }, "has invisible characters"],
  [{ env: ["A=1"] }, "is not the name of a variable"],
  [{ env: ["AWS_*"] }, "is not the name of a variable"],
  [{ env: Array.from({ length: 33 }, (_, index) => `A${index}`) }, "has 33 entries, at most 32 are allowed"],
  [{ read: [`/${"x".repeat(253)}`] }, "has more than 253 characters"],
])("does not read a schema that needs %j", (needs, problem) => {
  const reading = readToolSchema({ ...base, ikigai: { needs } }, "x");
  expect("problem" in reading && reading.problem).toContain(problem);
});
