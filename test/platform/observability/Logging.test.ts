import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Headers from "@effect/platform/Headers"
import { Cause, Effect, FiberId, LogLevel } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { loggable, logging } from "../../../src/platform/observability/Logging.ts"

const card = "4242424242424242"

const annotation = /annotateLogs\(\s*(?:\w+,\s*)?(?:"(\w+)"|\{([^}]*)\})/g

const annotationsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => [...readFileSync(join(folder, name), "utf8").matchAll(annotation)])
    .flatMap(([, key, fields = ""]) => (key === undefined ? fields.split(",") : [key]))
    .map((field) => field.split(":", 1).join("").trim())
    .filter((field) => field !== "")

const logged = (program: Effect.Effect<void>, format: "pretty" | "json", level: LogLevel.LogLevel = LogLevel.Debug) => {
  const lines: Array<string> = []
  const toStderr = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    lines.push(String(chunk))
    return true
  })
  const toStdout = vi.spyOn(process.stdout, "write")
  Effect.runSync(Effect.provide(program, logging({ format, level })))
  expect(toStdout).not.toHaveBeenCalled()
  toStderr.mockRestore()
  toStdout.mockRestore()
  return lines.join("")
}

const loggedJson = (program: Effect.Effect<void>) => {
  const output = logged(program, "json")
  expect(output.endsWith("\n")).toBe(true)
  expect(output.trimEnd()).not.toContain("\n")
  return JSON.parse(output) as Record<string, unknown>
}

afterEach(() => vi.restoreAllMocks())

describe("json", () => {
  it("is one object with time, level, message, fiber and annotations", () => {
    const line = loggedJson(
      Effect.logWarning("slow answer").pipe(Effect.annotateLogs({ org_id: "o1", duration_ms: 12 }))
    )
    expect(line).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: "WARN",
      message: "slow answer",
      fiber: expect.stringMatching(/^#\d+$/),
      org_id: "o1",
      duration_ms: 12
    })
  })

  it("hides annotations and spans whose key is not known, and never lets one take a fixed place", () => {
    const line = loggedJson(
      Effect.logInfo("hello").pipe(
        Effect.annotateLogs({ customer_name: "Wanjiru", message: "forged", __proto__x: 1 }),
        Effect.withLogSpan("Wanjiru's request"),
        Effect.withLogSpan("job")
      )
    )
    expect(line).toMatchObject({
      customer_name: "[redacted]",
      message: "hello",
      "annotation.message": "[redacted]",
      job: expect.stringMatching(/^\d+ms$/),
      "Wanjiru's request": "[redacted]"
    })
    expect(JSON.stringify(line)).not.toContain("forged")
  })

  it("prints the kind and the priority of a message and the name of a worker, but no secret in their place", () => {
    const fields = { kind: "invitation", priority: "urgent", worker: "webhooks" }
    expect(loggedJson(Effect.logInfo("sent").pipe(Effect.annotateLogs(fields)))).toMatchObject(fields)
    const hostile = { kind: card, priority: "Bearer abcdefgh12345678", worker: { password: "hunter2" } }
    const alike = { Kind: "invitation", kind_text: "invitation", "priority ": "urgent", token: "invitation" }
    const line = loggedJson(Effect.logInfo("sent").pipe(Effect.annotateLogs({ ...hostile, ...alike })))
    expect(line).toMatchObject({ kind: "[card]", priority: "Bearer [redacted]", worker: '{"password":"[redacted]"}' })
    for (const key of Object.keys(alike)) expect(line[key], key).toBe("[redacted]")
  })

  it("prints every annotation that the service makes", () => {
    const made = new Set(annotationsIn("src"))
    expect([...made]).toEqual(expect.arrayContaining(["error_id", "job", "kind", "method", "provider", "worker"]))
    expect([...made].filter((key) => !loggable.has(key))).toEqual([])
  })

  it("redacts messages, known annotations and causes", () => {
    const cause = Cause.die(new Error(`declined ${card}`, { cause: new Error('{"cvv":"987"}') }))
    const output = JSON.stringify(
      loggedJson(
        Effect.logError(`card ${card}`, { nested: { password: "hunter2" } }, cause).pipe(
          Effect.annotateLogs({ reason: `Bearer abcdefgh12345678`, count: Number(card), url: "http://u:pw@host/" })
        )
      )
    )
    for (const secret of [card, "987", "hunter2", "abcdefgh12345678", "pw@"]) expect(output).not.toContain(secret)
    expect(output).toContain("declined [card]")
    expect(output).toContain("Logging.test.ts")
  })

  it("prints what cannot be turned into JSON", () => {
    const cyclic: Record<string, unknown> = { amount: 10n, twice: [1], same: { a: 1 } }
    cyclic["self"] = cyclic
    cyclic["again"] = cyclic["same"]
    const broken = { toJSON: () => expect.unreachable() }
    const line = loggedJson(Effect.logInfo("x", cyclic, 5n, broken, undefined, Symbol("s"), new Error("boom")))
    expect(line["message"]).toBe(
      'x {"amount":"10","twice":[1],"same":{"a":1},"self":"[circular]","again":{"a":1}} 5 [unprintable] undefined Symbol(s) Error: boom'
    )
    const annotated = loggedJson(Effect.logInfo("y").pipe(Effect.annotateLogs({ count: 7n, state: cyclic, port: NaN })))
    expect(annotated).toMatchObject({ count: "7", port: "NaN", state: expect.stringContaining("[circular]") })
  })

  it("hides our signature headers when a header record is logged", () => {
    const headers = Headers.fromInput({
      "x-service-signature": "t=1,v1=abc",
      "webhook-signature": "def",
      accept: "a/b"
    })
    const { message } = loggedJson(Effect.logInfo({ headers }))
    expect(message).toBe(
      '{"headers":{"x-service-signature":"<redacted>","webhook-signature":"<redacted>","accept":"a/b"}}'
    )
  })

  it("bounds what one line may hold", () => {
    expect(String(loggedJson(Effect.logInfo("a".repeat(100_000)))["message"]).length).toBeLessThan(17_000)
  })
})

describe("pretty", () => {
  it("is one readable line without colours when not on a terminal", () => {
    const output = logged(Effect.logInfo("listening").pipe(Effect.annotateLogs({ port: 3000, path: "/a b" })), "pretty")
    expect(output).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}listening path="\/a b" port=3000\n$/)
  })

  it("colours on a terminal", () => {
    const tty = Object.getOwnPropertyDescriptor(process.stderr, "isTTY")
    Object.defineProperty(process.stderr, "isTTY", { value: true, configurable: true })
    try {
      expect(logged(Effect.logError("down"), "pretty")).toContain("\x1b[31mERROR\x1b[0m down")
    } finally {
      if (tty === undefined) Reflect.deleteProperty(process.stderr, "isTTY")
      else Object.defineProperty(process.stderr, "isTTY", tty)
    }
  })

  it("indents the cause below, redacted", () => {
    const output = logged(Effect.logError("failed", Cause.fail(new Error(`card ${card}`))), "pretty")
    const [first, second, ...stack] = output.trimEnd().split("\n")
    expect(first).toMatch(/ERROR failed$/)
    expect(second).toBe("    Error: card [card]")
    expect(stack.length).toBeGreaterThan(0)
    expect(stack.every((line) => line.startsWith("    "))).toBe(true)
  })

  it("escapes control characters", () => {
    const hostile = "a\n12:00:00.000 INFO  forged\x1b[2J\x7f\u0085\u2028"
    const output = logged(
      Effect.logInfo(hostile, Cause.interrupt(FiberId.none)).pipe(Effect.annotateLogs("reason", hostile)),
      "pretty"
    )
    expect(output.split("\n").filter((line) => line !== "" && !line.startsWith("    "))).toHaveLength(1)
    expect(output.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028]/u)
  })
})

it("says nothing below its level", () => {
  const program = Effect.zipRight(Effect.logInfo("quiet"), Effect.logWarning("loud"))
  const output = logged(program, "json", LogLevel.Warning)
  expect(output).toContain("loud")
  expect(output).not.toContain("quiet")
})
