/** An adapter at work against the running fake of its third party, over real HTTP both ways. */
import { Duration, Effect, Fiber, Option, TestClock } from "effect"
import { expect } from "vitest"
import type { Outcome } from "../../../src/domain/Outcome.ts"
import { makeConcurrencyLimit } from "../../../src/providers/client/ConcurrencyLimit.ts"
import type { ProviderCall, ProviderHttp, ProviderReply } from "../../../src/providers/client/ProviderHttp.ts"
import { type CallLimits, makeProviderHttp } from "../../../src/providers/client/UndiciHttp.ts"
import type { Fake } from "../../fakes/Fake.ts"
import { type FakeOptions, type RunningFake, startFake } from "../../fakes/FakeServer.ts"
import type { AttemptContext, PaymentOrder, Provider } from "../../../src/providers/port/Provider.ts"
import type { CredentialFields, ThirdParty } from "../../../src/providers/port/ThirdParty.ts"
import { type AboutAccount, connected } from "./ConnectedAdapter.ts"
import { newMailbox } from "./Mailbox.ts"
import { idIn } from "./TestOrders.ts"

export interface Connection {
  /** Instead of those that the fake takes. */
  readonly credentials?: (taken: RunningFake["credentials"]) => RunningFake["credentials"]
  readonly rawCards?: boolean
  /** Below the fake's own address. */
  readonly basePath?: string
  readonly limits?: CallLimits
  readonly paces?: Pick<FakeOptions, "late" | "pace" | "slow">
}

const hurried = { pace: Duration.millis(2), late: Duration.millis(20), slow: Duration.millis(20) }

/** On the clock of the tests: nothing comes to its end before `settle`. */
export const byTestClock = { pace: Duration.minutes(10), late: Duration.minutes(10), slow: Duration.minutes(10) }

/** Ends all that is under way, on the clock of the tests. */
export const settle = ({ settled }: RunningFake): Effect.Effect<void> =>
  Effect.zipRight(TestClock.adjust(byTestClock.pace), settled)

/** Runs an effect that waits between its calls: the test clock goes on until it is done. */
export const asTimePasses = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    while (Option.isNone(yield* Fiber.poll(fiber))) yield* TestClock.adjust("100 millis")
    return yield* Fiber.join(fiber)
  })

export const againstFake = <Fields extends CredentialFields>(
  party: ThirdParty<Fields>,
  fake: Fake,
  { basePath = "", credentials = (taken) => taken, limits, paces, rawCards = false }: Connection = {}
) =>
  Effect.gen(function* () {
    const mailbox = yield* newMailbox
    const callbackUrl = `${mailbox.url}/callbacks/${fake.name}`
    const running = yield* Effect.orDie(startFake(fake, { callbackUrl, ...hurried, ...paces }))
    const real = yield* makeProviderHttp({
      provider: party.name,
      account: "platform",
      baseUrl: `${running.url}${basePath}`,
      mode: "sandbox",
      concurrencyLimit: makeConcurrencyLimit(),
      ...(limits === undefined ? {} : { limits })
    })
    const calls: Array<ProviderCall> = []
    const exchanged: Array<{ readonly call: ProviderCall; readonly reply: ProviderReply }> = []
    const http: ProviderHttp = {
      call: (call) =>
        Effect.suspend(() => {
          calls.push(call)
          return Effect.tap(real.call(call), (reply) => Effect.sync(() => exchanged.push({ call, reply })))
        })
    }

    /** With other credentials, or about another account there. */
    const connectedWith = (given: Readonly<Record<string, string>> = {}, about: AboutAccount<Fields> = {}) =>
      connected(
        party,
        http,
        { ...credentials(running.credentials), ...given },
        { baseUrl: running.url, callbackUrl, rawCards, ...about }
      )
    const provider = connectedWith()

    /** Events that the adapter reads from all callbacks so far. */
    const events = Effect.suspend(() =>
      Effect.map(
        Effect.forEach(mailbox.callbacks, (request) => provider.callback(request)),
        (received) => received.flatMap((one) => one.events)
      )
    )

    /** Balances that the fake really holds, by currency. */
    const held = (): ReadonlyMap<string, bigint> => running.books.holdings()

    return {
      ...running,
      held,
      provider,
      connectedWith,
      http,
      calls,
      exchanged,
      mailbox,
      callbacks: mailbox.callbacks,
      events
    }
  })

/** A customer goes where they are sent; where they end up. */
export const visited = (page: string | null | undefined): Effect.Effect<URL> =>
  Effect.promise(async () => {
    const response = await fetch(`${page}`, { redirect: "manual" })
    await response.arrayBuffer()
    return new URL(response.headers.get("location") ?? "about:blank")
  })

/** Every order is taken, asked about, brought to its end and asked about again; then the account is tried. */
export const talkedThrough = (
  at: RunningFake & { readonly provider: Provider },
  orders: ReadonlyArray<PaymentOrder>,
  attemptsOf: (order: PaymentOrder, providerPaymentId: string) => ReadonlyArray<AttemptContext>,
  send: (sent: Effect.Effect<Outcome>) => Effect.Effect<Outcome> = (sent) => sent
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { provider } = at
    for (const order of orders) {
      const outcome = yield* send(provider.initiate(order))
      expect(outcome._tag).toBe("Accepted")
      const attempts = attemptsOf(order, idIn(outcome))
      yield* Effect.forEach(attempts, provider.enquire)
      yield* settle(at)
      yield* Effect.forEach(attempts, provider.enquire)
    }
    yield* provider.test!
  })
