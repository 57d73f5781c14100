/** A fake over real HTTP: its routes, the faults that amounts ask for, and the ends and callbacks of what it took. */
import { it } from "@effect/vitest"
import { Duration, Effect, Exit, Logger, Scope } from "effect"
import { describe, expect } from "vitest"
import type { Fake } from "../../fakes/Fake.ts"
import { type FakeOptions, type RunningFake, startFake } from "../../fakes/FakeServer.ts"
import type { Scenario } from "../../fakes/MagicAmounts.ts"
import { until } from "../client/RawServer.ts"
import { acmeFake } from "../support/AcmeFake.ts"
import { newMailbox } from "../support/Mailbox.ts"
import { magicMoney, newReference } from "../support/Samples.ts"

const hurried = { pace: Duration.millis(5), late: Duration.millis(150), slow: Duration.millis(200) }

const opened = (options: Partial<FakeOptions> = {}, fake: Fake = acmeFake) =>
  Effect.gen(function* () {
    const mailbox = yield* newMailbox
    const fakes = yield* startFake(fake, { callbackUrl: `${mailbox.url}/callbacks/acme`, ...hurried, ...options })
    return { fake: fakes, mailbox }
  })

interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The answer; `lost` where the connection was cut. */
const ask = (running: RunningFake, method: string, path: string, body?: string, headers = {}) =>
  Effect.promise(async (): Promise<Answered | "lost"> => {
    try {
      const given = { authorization: `Bearer ${running.credentials["api_key"]}`, ...headers }
      const response = await fetch(`${running.url}${path}`, {
        method,
        headers: given,
        redirect: "manual",
        ...(body === undefined ? {} : { body })
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    } catch {
      return "lost"
    }
  })

const newBody = (scenario: Scenario, reference = newReference(), about: Readonly<Record<string, string>> = {}) => {
  const money = magicMoney("KES", scenario)
  return JSON.stringify({ reference, kind: "payin", amount: `${money.minor}`, currency: "KES", ...about })
}

const statusOf = (answer: Answered | "lost") => (answer === "lost" ? "lost" : answer.status)

/** Log lines of the fake about its own failures. */
const whileLogging = <A, E, R>(effect: (logged: ReadonlyArray<unknown>) => Effect.Effect<A, E, R>) => {
  const logged: Array<unknown> = []
  const logger = Logger.make(({ message }) => void logged.push(message))
  return effect(logged).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
}

describe("a route", () => {
  it.scopedLive("is found by its method and path, with what stands in it, and a literal before a name", () =>
    Effect.gen(function* () {
      const echo: Fake = {
        ...acmeFake,
        routes: () => [
          {
            method: "GET",
            path: "/things/:id",
            answer: ({ params, query }) => ({ status: 200, body: { params, q: query.get("q") } })
          },
          { method: "GET", path: "/things/all", answer: () => ({ status: 200, body: "all of them" }) },
          {
            method: "POST",
            path: "/things/:id/parts/:part",
            answer: async ({ params, body }) => ({ status: 201, body: { params, body } })
          },
          { method: "DELETE", path: "/things/:id", answer: () => ({ status: 204 }) }
        ]
      }
      const { fake } = yield* opened({}, echo)
      const texts = yield* Effect.forEach(
        [
          ["GET", "/things/a%20b?q=1"],
          ["GET", "/things/all"],
          ["POST", "/things/1/parts/2", "x"],
          ["DELETE", "/things/1"],
          ["PUT", "/things/1"],
          ["GET", "/nowhere"]
        ] as const,
        ([method, path, body]) =>
          Effect.map(ask(fake, method, path, body), (answer) =>
            answer === "lost" ? answer : `${answer.status} ${answer.text}`
          )
      )
      expect(texts).toEqual([
        `200 {"params":{"id":"a b"},"q":"1"}`,
        "200 all of them",
        `201 {"params":{"id":"1","part":"2"},"body":"x"}`,
        "204 ",
        "404 {}",
        "404 {}"
      ])
      expect(fake.received.map(({ method, path }) => `${method} ${path}`)).toHaveLength(6)
    })
  )

  it.scopedLive("that throws is an error of the fake's, and the next request is served", () =>
    whileLogging((logged) =>
      Effect.gen(function* () {
        const { fake } = yield* opened()
        const answers = yield* Effect.forEach(["{", newBody("completes")], (body) => ask(fake, "POST", "/orders", body))
        expect(answers.map(statusOf)).toEqual([500, 201])
        expect(logged).toEqual([["The fake of acme failed."]])
      })
    )
  )

  it.scopedLive("reads a body of a megabyte and no larger one", () =>
    Effect.gen(function* () {
      const { fake } = yield* opened()
      const padded = (bytes: number) => newBody("completes").padEnd(bytes, " ")
      const answers = yield* Effect.forEach([1024 * 1024, 1024 * 1024 + 1], (bytes) =>
        ask(fake, "POST", "/orders", padded(bytes))
      )
      expect(answers.map(statusOf)).toEqual([201, 413])
      expect(fake.books.all()).toHaveLength(1)
    })
  )

  it.scopedLive("is served at an address that the fake's own account may name", () =>
    Effect.gen(function* () {
      const { fake } = yield* opened()
      expect(fake.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect(fake.credentials).toMatchObject({ merchant: `Acme at ${fake.url}`, api_key: "acme-api-key-7" })
    })
  )
})

describe("a fault", () => {
  it.scopedLive.each(["lost_before", "lost_after", "server_error", "busy", "garbage"] as const)(
    "%s is played once for an order: a repetition finds the true state",
    (scenario) =>
      Effect.gen(function* () {
        const { fake } = yield* opened()
        const body = newBody(scenario)
        yield* ask(fake, "POST", "/orders", body)
        const again = yield* ask(fake, "POST", "/orders", body)
        expect(statusOf(again)).toBe(201)
        yield* fake.settled
        expect([...fake.books.holdings()]).toEqual([["KES", magicMoney("KES", scenario).minor]])
      })
  )

  it.scopedLive("is played once for a name in the headers too, whatever the body says", () =>
    Effect.gen(function* () {
      const { fake } = yield* opened()
      const send = (key: string) =>
        Effect.map(ask(fake, "POST", "/orders", newBody("server_error"), { "Idempotency-Key": key }), statusOf)
      expect(yield* Effect.all([send("a"), send("a"), send("b")])).toEqual([500, 201, 500])
    })
  )

  it.scopedLive("busy says when to come again", () =>
    Effect.gen(function* () {
      const { fake } = yield* opened()
      const answer = yield* ask(fake, "POST", "/orders", newBody("busy"))
      expect(answer !== "lost" && answer.headers.get("retry-after")).toBe("1")
    })
  )

  it.scopedLive("slow comes at the end of the time where there is nothing that could drip", () =>
    Effect.gen(function* () {
      const routes: Fake["routes"] = () => [
        { method: "POST", path: "/orders", moves: () => magicMoney("KES", "slow"), answer: () => ({ status: 202 }) }
      ]
      const { fake } = yield* opened({}, { ...acmeFake, routes })
      const [took, answer] = yield* Effect.timed(ask(fake, "POST", "/orders", "{}"))
      expect(statusOf(answer)).toBe(202)
      expect(Duration.toMillis(took)).toBeGreaterThan(190)
    })
  )

  it.scopedLive("slow comes in pieces, the last of them at the end of the time", () =>
    Effect.gen(function* () {
      const { fake } = yield* opened()
      const [took, chunks] = yield* Effect.timed(
        Effect.promise(async () => {
          const headers = { authorization: "Bearer acme-api-key-7" }
          const response = await fetch(`${fake.url}/orders`, { method: "POST", headers, body: newBody("slow") })
          const pieces: Array<string> = []
          for await (const piece of response.body!) pieces.push(Buffer.from(piece).toString("utf8"))
          return pieces
        })
      )
      expect(Duration.toMillis(took)).toBeGreaterThan(180)
      expect(chunks.length).toBeGreaterThan(1)
      expect(JSON.parse(chunks.join(""))).toMatchObject({ kind: "payin" })
    })
  )

  it.scopedLive.each([undefined, { an: "answer" }])("slow is over once no caller waits for %j any more", (body) =>
    Effect.gen(function* () {
      const routes: Fake["routes"] = () => [
        {
          method: "POST",
          path: "/orders",
          moves: () => magicMoney("KES", "slow"),
          answer: () => ({ status: 202, body })
        }
      ]
      const { fake } = yield* opened({ slow: Duration.minutes(10) }, { ...acmeFake, routes })
      yield* Effect.promise(async () => {
        const caller = new AbortController()
        const answer = fetch(`${fake.url}/orders`, { method: "POST", body: "{}", signal: caller.signal })
        while (fake.received.length === 0) await new Promise((done) => setTimeout(done, 1))
        caller.abort()
        await answer.then((response) => response.text()).catch(() => undefined)
      })
      const [took] = yield* Effect.timed(fake.settled)
      expect(Duration.toSeconds(took)).toBeLessThan(10)
    })
  )
})

describe("what was taken", () => {
  const taken = (scenario: Scenario, options: Partial<FakeOptions> = {}) =>
    Effect.gen(function* () {
      const { fake, mailbox } = yield* opened(options)
      yield* ask(fake, "POST", "/orders", newBody(scenario))
      return { fake, mailbox, entry: fake.books.all()[0]! }
    })

  const statesIn = (mailbox: Effect.Effect.Success<typeof newMailbox>) =>
    mailbox.callbacks.map(
      ({ body }) => (JSON.parse(body.toString("utf8")) as { order: { status: string } }).order.status
    )

  const ends: ReadonlyArray<readonly [scenario: Scenario, state: string, callbacks: ReadonlyArray<string>]> = [
    ["completes", "completed", ["completed"]],
    ["fails_later", "failed", ["failed"]],
    ["silent", "processing", []],
    ["twice", "completed", ["completed", "completed"]],
    ["late", "completed", ["completed"]],
    ["reordered", "completed", ["completed", "processing"]],
    ["other_amount", "completed", ["completed"]]
  ]

  it.scopedLive.each(ends)("%s: ends %s, and is reported as %j", ([scenario, state, callbacks]) =>
    Effect.gen(function* () {
      const { entry, fake, mailbox } = yield* taken(scenario)
      yield* fake.settled
      expect(entry.state).toBe(state)
      expect(statesIn(mailbox)).toEqual(callbacks)
    })
  )

  it.scopedLive("is less by a tenth where its amount asks for it, also of the least that can", () =>
    Effect.gen(function* () {
      const { entry, fake } = yield* taken("other_amount")
      expect([entry.asked.minor, entry.moved.minor]).toEqual([150_014n, 135_013n])
      const money = magicMoney("KES", "other_amount", 0n)
      expect(fake.world.take({ id: "least", reference: "least", kind: "payin", money }).moved.minor).toBe(13n)
    })
  )

  it.scopedLive("is reported later where its amount asks for it", () =>
    Effect.gen(function* () {
      const { entry, fake, mailbox } = yield* taken("late", { late: Duration.seconds(1) })
      yield* ask(fake, "POST", "/orders", newBody("completes"))
      yield* until(() => mailbox.callbacks.length === 1)
      expect(entry.state).toBe("processing")
      yield* fake.settled
      expect([entry.state, mailbox.callbacks.length]).toEqual(["completed", 2])
    })
  )

  it.scopedLive("is taken once for a reference, and reported once", () =>
    Effect.gen(function* () {
      const { fake, mailbox } = yield* opened()
      const body = newBody("completes")
      yield* Effect.forEach([1, 2, 3], () => ask(fake, "POST", "/orders", body), { concurrency: 3 })
      yield* fake.settled
      expect([fake.books.all().length, mailbox.callbacks.length]).toEqual([1, 1])
    })
  )

  it.scopedLive("waits for its customer, who comes to its page once or twice and is sent back", () =>
    Effect.gen(function* () {
      const { fake, mailbox } = yield* opened()
      yield* ask(fake, "POST", "/orders", newBody("completes", "r", { return_url: "https://shop.example/back" }))
      const entry = fake.books.byReference("payin", "r")!
      yield* fake.settled
      expect([entry.state, mailbox.callbacks.length]).toEqual(["waiting", 0])
      const answer = yield* ask(fake, "GET", `/pay/${entry.id}`)
      expect(answer !== "lost" && [answer.status, answer.headers.get("location")]).toEqual([
        302,
        `https://shop.example/back?acme=${entry.id}`
      ])
      yield* ask(fake, "GET", `/pay/${entry.id}`)
      yield* fake.settled
      expect([entry.state, mailbox.callbacks.length]).toEqual(["completed", 1])
    })
  )

  it.scopedLive("stays as the fake's own routes left it, and is reported as it is", () =>
    Effect.gen(function* () {
      const { entry, fake, mailbox } = yield* taken("completes", { pace: Duration.millis(60) })
      entry.state = "failed"
      yield* fake.settled
      expect(entry.state).toBe("failed")
      expect(statesIn(mailbox)).toEqual(["failed"])
      expect([...fake.books.holdings()]).toEqual([])
    })
  )
})

describe("a callback", () => {
  it.scopedLive("that is not taken comes again until it is", () =>
    Effect.gen(function* () {
      const { fake, mailbox } = yield* opened()
      mailbox.status = (nth) => (nth < 3 ? 503 : 204)
      yield* ask(fake, "POST", "/orders", newBody("completes"))
      yield* fake.settled
      expect(mailbox.callbacks).toHaveLength(3)
      expect(new Set(mailbox.callbacks.map(({ body }) => body.toString("utf8"))).size).toBe(1)
    })
  )

  it.scopedLive("that is never taken is given up", () =>
    Effect.gen(function* () {
      const { fake, mailbox } = yield* opened()
      mailbox.status = () => 500
      yield* ask(fake, "POST", "/orders", newBody("completes"))
      yield* fake.settled
      expect(mailbox.callbacks).toHaveLength(5)
    })
  )

  it.scopedLive("without a receiver is given up too", () =>
    Effect.gen(function* () {
      const { fake } = yield* opened({ callbackUrl: "http://127.0.0.1:1/callbacks/acme" })
      yield* ask(fake, "POST", "/orders", newBody("completes"))
      yield* fake.settled
      expect(fake.books.all()[0]!.state).toBe("completed")
    })
  )

  it.scopedLive("is one of many at once, without a warning of Node", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const logged = ({ message }: Error) => void warnings.push(message)
      yield* Effect.acquireRelease(
        Effect.sync(() => process.on("warning", logged)),
        () => Effect.sync(() => process.off("warning", logged))
      )
      const { fake, mailbox } = yield* opened({ pace: Duration.millis(100) })
      const orders = Array.from({ length: 30 }, () => ask(fake, "POST", "/orders", newBody("completes")))
      yield* Effect.all(orders, { concurrency: "unbounded" })
      yield* fake.settled
      expect(mailbox.callbacks).toHaveLength(30)
      expect(warnings).toEqual([])
    })
  )

  it.scopedLive("goes to the address that an order named, by the method of the provider", () =>
    Effect.gen(function* () {
      const other = yield* newMailbox
      const { fake, mailbox } = yield* opened(
        {},
        { ...acmeFake, callbackOf: () => ({ method: "PUT", headers: {}, body: "{}" }) }
      )
      const kept = { callbackUrl: `${other.url}/own?of=order` }
      fake.world.take({ id: "1", reference: "r", kind: "payin", money: magicMoney("KES", "completes"), kept })
      yield* fake.settled
      expect(mailbox.callbacks).toHaveLength(0)
      expect(other.callbacks.map(({ method, path, query }) => [method, path, query])).toEqual([
        ["PUT", "/own", { of: "order" }]
      ])
    })
  )

  it.scopedLive("that the fake cannot make ends nothing else", () =>
    whileLogging((logged) =>
      Effect.gen(function* () {
        const { fake } = yield* opened(
          {},
          {
            ...acmeFake,
            callbackOf: () => {
              throw new Error("no")
            }
          }
        )
        yield* ask(fake, "POST", "/orders", newBody("completes"))
        yield* fake.settled
        expect(statusOf(yield* ask(fake, "POST", "/orders", newBody("completes")))).toBe(201)
        yield* fake.settled
        expect(logged).toEqual([["The fake of acme failed."], ["The fake of acme failed."]])
      })
    )
  )
})

describe("the end of a fake", () => {
  it.live("ends what it had under way, and frees its port", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const mailbox = yield* Scope.extend(newMailbox, scope)
      const callbackUrl = mailbox.url
      const fakeScope = yield* Scope.make()
      const first = yield* Scope.extend(
        startFake(acmeFake, { callbackUrl, ...hurried, pace: Duration.millis(50), slow: Duration.seconds(30) }),
        fakeScope
      )
      yield* ask(first, "POST", "/orders", newBody("completes"))
      const dripping = yield* Effect.fork(ask(first, "POST", "/orders", newBody("slow")))
      yield* Effect.repeat(Effect.sleep("1 millis"), { until: () => first.received.length === 2 })
      yield* Scope.close(fakeScope, Exit.void)
      expect(yield* dripping).toBe("lost")
      yield* first.settled
      yield* Effect.sleep("100 millis")
      expect(mailbox.callbacks).toEqual([])
      const port = Number(new URL(first.url).port)
      const second = yield* Scope.extend(startFake(acmeFake, { callbackUrl, port }), scope)
      expect(second.url).toBe(first.url)
      const taken = yield* Effect.flip(Effect.scoped(startFake(acmeFake, { callbackUrl, port })))
      expect(taken.message).toContain("EADDRINUSE")
      yield* Scope.close(scope, Exit.void)
    })
  )
})
