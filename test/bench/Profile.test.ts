import { describe, expect, it } from "vitest"
import { type CpuProfile, type Frame, summaryOf } from "./ProfileParts.ts"

const frame = (functionName: string, url = "", lineNumber = 0): Frame => ({
  functionName,
  url,
  lineNumber,
  columnNumber: 0
})

/** One node for each kind of frame; node n has n × 100 µs. */
const frames = [
  frame("(root)"),
  frame("(idle)"),
  frame("(garbage collector)"),
  frame("(program)"),
  frame("writev", "node:net"),
  frame("run", "/app/node_modules/effect/src/internal/fiberRuntime.ts", 9),
  frame("query", "/app/node_modules/pg-protocol/src/parser.ts"),
  frame("execute", "/app/node_modules/@effect/sql-pg/src/PgClient.ts"),
  frame("handle", "/app/node_modules/@effect/platform-node-shared/src/Runtime.ts"),
  frame("other", "/app/node_modules/fastify/node_modules/ajv/dist/ajv.js"),
  frame("recordOf", "/app/src/payments/read/PaymentRecord.ts", 41),
  frame("toString"),
  frame("", "/app/dist/bench/fastify/main.mjs", 3)
]

const children: Readonly<Record<number, ReadonlyArray<number>>> = {
  1: frames.map((_, at) => at + 1).filter((id) => id !== 1 && id !== 12),
  11: [12]
}

const profile: CpuProfile = {
  nodes: frames.map((callFrame, at) => ({ id: at + 1, callFrame, children: children[at + 1] ?? [] })),
  samples: frames.map((_, at) => at + 1),
  timeDeltas: [0, ...frames.map((_, at) => (at + 1) * 100)]
}

const summary = summaryOf(profile, ({ lineNumber, url }) => ({ file: url.replace("/app/", ""), line: lineNumber + 1 }))

describe("The summary of a CPU profile", () => {
  it("counts each part, native functions for their caller, idle time apart", () => {
    expect(summary.idleMicros).toBe(200)
    expect(summary.busyMicros).toBe(8900)
    expect(Object.fromEntries(summary.parts.map(({ micros, name }) => [name, micros]))).toEqual({
      "src/payments": 1100 + 1200,
      bench: 1300,
      "other packages": 1000,
      "@effect/platform, -node": 900,
      "@effect/sql, -pg": 800,
      pg: 700,
      effect: 600,
      "(program)": 400 + 100,
      "Node's own": 500,
      "garbage collection": 300
    })
  })

  it("names the heaviest functions first", () => {
    expect(summary.functions.slice(0, 3)).toEqual([
      { name: "(anonymous)  dist/bench/fastify/main.mjs:4", micros: 1300 },
      { name: "toString  native, called by src/payments", micros: 1200 },
      { name: "recordOf  src/payments/read/PaymentRecord.ts:42", micros: 1100 }
    ])
  })
})
