/** The services of the service with providers of the test's choosing, and a clock that can be moved. */
import { SqlClient } from "@effect/sql"
import { Clock, type Context, Duration, Effect, Layer, Logger, LogLevel, Option } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { StoresLive, StoresMemory } from "../../../src/app/Stores.ts"
import { servicesOver } from "../../../src/app/Services.ts"
import type { Settings } from "../../../src/platform/config/Settings.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { webhookTables } from "../../../src/webhooks/EventMemory.ts"
import type { StoredEvent } from "../../../src/webhooks/Webhook.ts"
import { type Provider, Providers } from "../../../src/providers/port/Provider.ts"
import { makeSimulators } from "../../../src/providers/sandbox/SimulatorProviders.ts"
import type { Backend } from "../../support/OnBothStores.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

/** Stores of the service, with the tables in sight, so that a test can look behind them. */
export const openStoresOn = (backend: Backend): Layer.Layer<StoreServices, unknown, Settings> =>
  backend === "memory"
    ? StoresMemory.pipe(Layer.provideMerge(MemoryDatabase.layer))
    : StoresLive.pipe(Layer.provideMerge(TestDatabase))

/** Providers as they are reached through accounts that configurations bring, by the ids of those. */
export type OwnAccounts = ReadonlyMap<string, Provider>

const withSimulators = (others: ReadonlyArray<Provider>, accounts: OwnAccounts) =>
  Layer.effect(
    Providers,
    Effect.map(makeSimulators, (simulators) => {
      const { find } = Providers.fromList([...simulators, ...others])
      return {
        find: (name, account) => {
          const own = account === null ? undefined : accounts.get(account)
          return own === undefined ? find(name, account) : Effect.succeed(own)
        }
      }
    })
  )

/** Services over the built-in simulators and these providers. */
export const servicesWithSimulators = (others: ReadonlyArray<Provider>, accounts: OwnAccounts = new Map()) =>
  servicesOver(withSimulators(others, accounts))

export const servicesOf = (providers: ReadonlyArray<Provider>) => servicesOver(Providers.layerOf(providers))

export interface MovableClock extends Clock.Clock {
  readonly move: (by: Duration.Duration) => void
}

/** The real time, so much later. */
export const movableClock = (): MovableClock => {
  const real = Clock.make()
  let ahead = 0
  const millis = () => real.unsafeCurrentTimeMillis() + ahead
  const nanos = () => real.unsafeCurrentTimeNanos() + BigInt(ahead) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => real.sleep(duration),
    move: (by) => void (ahead += Duration.toMillis(by))
  }
}

/** Lets time pass for the payments: the database has a clock of its own, so there the deadlines come closer instead. */
export const timePasses = (clock: MovableClock, wait: Duration.DurationInput) =>
  Effect.gen(function* () {
    const duration = Duration.decode(wait)
    clock.move(duration)
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    if (Option.isNone(sql)) return
    const seconds = Duration.toSeconds(duration)
    const by = sql.value`make_interval(secs => ${seconds})`
    // Before attempts become due: the server's worker would find a payment due whose end has not come.
    yield* sql.value`update payments set expires_at = expires_at - ${by} where expires_at is not null`
    yield* sql.value`update attempts set next_enquiry_at = next_enquiry_at - ${by}, hint_at = hint_at - ${by},
      leased_until = leased_until - ${by}, asked_at = asked_at - ${by}, sent_at = sent_at - ${by}`
    yield* sql.value`update card_waits set expires_at = expires_at - ${by}`
    yield* sql.value`update rate_locks set expires_at = expires_at - ${by}`
  }).pipe(Effect.orDie)

export const eventsOf = (paymentId: PaymentId) =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    if (Option.isSome(sql)) {
      return yield* sql.value<StoredEvent>`select event_id, org_id, event_type, payment_id, event_payload(e) as payload, test, created_at
        from events e where payment_id = ${paymentId} order by event_id`
    }
    const { events } = (yield* Effect.serviceOptional(MemoryDatabase)).open(webhookTables)
    return Array.from(events.values()).filter((event) => event.payment_id === paymentId)
  }).pipe(Effect.orDie)

export const quiet = Logger.minimumLogLevel(LogLevel.None)

export type StoreServices = Layer.Layer.Success<typeof StoresMemory>

/** Everything that one set of stores offers, to be used by any number of "processes" over it. */
export const sameStores = <A>(context: Context.Context<A>): Layer.Layer<A> => Layer.succeedContext(context)
