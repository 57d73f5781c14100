/** Connections to the database that stay open and answer nothing: requests avoid them, and readiness fails. */
import { expect } from "@effect/vitest"
import { Effect, Layer, Ref, Schedule } from "effect"
import { StoresLive } from "../../../src/app/Stores.ts"
import { DatabaseLive } from "../../../src/platform/database/Database.ts"
import { people } from "../../support/TestCredentials.ts"
import { timedByOwn } from "../../support/OwnTime.ts"
import { post, send } from "../../support/Send.ts"
import { proxied, type SilentProxy } from "../../support/SilentProxy.ts"
import { TestDatabaseServer } from "../../support/TestDatabase.ts"
import { onServer } from "../../support/TestServer.ts"
import { byPhone } from "../support/Requests.ts"

const INITIATE = "/v1/payments-init/initiate"

const pay = Effect.gen(function* () {
  const { acme } = yield* people
  const { status } = yield* post(INITIATE, { ...acme.key }, byPhone())
  return { status }
})

const isReady = Effect.map(send("/readyz"), ({ status }) => status === 200)

const soon = Schedule.spaced("50 millis").pipe(Schedule.upTo("40 seconds"))

const silentServer = (
  name: string,
  tests: (it: Parameters<Parameters<typeof onServer>[3]>[0], proxy: () => SilentProxy) => void
) => {
  let proxy: SilentProxy | undefined
  const server = proxied((made) => (proxy = made)).pipe(Layer.provide(TestDatabaseServer))
  const stores = StoresLive.pipe(Layer.provide(DatabaseLive), Layer.provide(server))
  onServer(name, "PostgreSQL", { stores }, (it) => tests(it, () => proxy!))
}

silentServer("A silent connection out of ten", (it, proxy) => {
  it.effect("holds up the requests that were on it, and none behind them", () =>
    Effect.gen(function* () {
      const warmUp = yield* Effect.replicateEffect(pay, 40, { concurrency: 20 })
      expect(new Set(warmUp.map(({ status }) => status))).toEqual(new Set([200]))
      proxy().silence(2)
      const unready = yield* Ref.make(0)
      const watching = yield* Effect.fork(
        isReady.pipe(
          Effect.flatMap((ready) => (ready ? Effect.void : Ref.update(unready, (n) => n + 1))),
          Effect.repeat(Schedule.spaced("250 millis"))
        )
      )
      const answers = yield* Effect.replicateEffect(pay, 60, { concurrency: 4 })
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      yield* Effect.sync(() => watching.unsafeInterruptAsFork(watching.id()))
      expect(yield* Ref.get(unready), "requests work, and readiness says so").toBe(0)
    })
  )
})

silentServer("A database that goes silent", (it, proxy) => {
  it.effect("is found out within three seconds, and is back by itself when it speaks again", () =>
    Effect.gen(function* () {
      expect((yield* pay).status).toBe(200)
      expect(yield* isReady).toBe(true)
      proxy().silence()
      const asking = yield* Effect.fork(Effect.replicateEffect(pay, 20, { concurrency: 20 }))
      const [took, ready] = yield* timedByOwn(isReady)
      expect(ready).toBe(false)
      expect(took).toBeLessThan(3000)
      const statuses = (yield* asking).map(({ status }) => status)
      expect(
        statuses.filter((status) => status !== 503 && status !== 500),
        "no request waits for ever"
      ).toEqual([])
      proxy().speak()
      yield* isReady.pipe(
        Effect.filterOrFail((yes) => yes),
        Effect.retry(soon)
      )
      yield* pay.pipe(
        Effect.filterOrFail(({ status }) => status === 200),
        Effect.retry(soon)
      )
      expect((yield* pay).status).toBe(200)
    })
  )
})
