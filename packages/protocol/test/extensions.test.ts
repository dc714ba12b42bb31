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
