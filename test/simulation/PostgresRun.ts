/**
 * A run of the simulation over a real PostgreSQL: the same steps, providers, receivers, operators and rules, with the
 * real stores. Time is real and compressed: a seed draws the same steps, but not the same order of events. Rows are
 * copied into memory tables after every answer, where steps and rules read them.
 */
import { SqlClient } from "@effect/sql"
import {
  Cause,
  Context,
  Duration,
  Effect,
  Exit,
  type Fiber,
  Layer,
  Logger,
  LogLevel,
  Option,
  Runtime,
  type Scope,
  Clock,
  Schedule
} from "effect"
import { readRows } from "../chaos/audit/ReadRecords.ts"
import { nothingPlanted, type Planted } from "./bugs/Planting.ts"
import { openItems, resolveQueue } from "./business/Operators.ts"
import { Receivers } from "./business/SimulatedReceivers.ts"
import type { ScenarioContext } from "./business/ScenarioContext.ts"
import { createFixtures } from "./business/SimulationFixtures.ts"
import { stepActions, drawSteps } from "./business/ScenarioSteps.ts"
import { liveValues } from "./business/RateChanges.ts"
import type { ValueHistory, CurrencyValues } from "./invariants/ConversionGains.ts"
import { sandboxRates } from "../../src/app/Sandbox.ts"
import { escrowTables } from "./business/EscrowSteps.ts"
import { noFocus } from "./business/Focus.ts"
import { Orders } from "./providers/ProviderOrders.ts"
import { accountKeyOf, SimulatedProvider } from "./providers/SimulatedProvider.ts"
import { booksTables, crypto, fiat, inspect, MOST_ROUNDS } from "./SimulationRun.ts"
import { buildPlan, applyBugs } from "./world/LayerPlan.ts"
import { Chance } from "./world/Chance.ts"
import { dueFor, watchedTables } from "./world/WorkerDueTimes.ts"
import { services } from "./world/SimulatedInstance.ts"
import { SimulationEnvironment, type HttpReply } from "./world/SimulationEnvironment.ts"
import { storesPlan, simulationSettings } from "./world/SimulationStores.ts"
import type { VirtualTime } from "./world/VirtualTime.ts"
import { requestOf, responseFor } from "./world/InMemoryHttp.ts"
import type { World } from "./world/SimulationWorld.ts"
import { graphOf } from "../../src/app/Graph.ts"
import { businessRoutes } from "../../src/app/HttpApp.ts"
import { StoresLive } from "../../src/app/Stores.ts"
import { startWorkers } from "../../src/app/BackgroundWorkers.ts"
import { Ids } from "../../src/domain/Ids.ts"
import { LedgerStore } from "../../src/money/ledger/LedgerStore.ts"
import { MemoryDatabase } from "../../src/platform/database/MemoryDatabase.ts"
import { Workers } from "../../src/platform/fibers/Workers.ts"
import { AnswerWriter } from "../../src/platform/http/AnswerWriter.ts"
import { handleExchange } from "../../src/platform/http/HttpExchange.ts"
import { routerOf } from "../../src/platform/http/EndpointRoute.ts"
import { Providers } from "../../src/providers/port/Provider.ts"
import { EscrowStore } from "../../src/treasury/escrow/EscrowStore.ts"
import { WebhookClient } from "../../src/webhooks/delivery/WebhookClient.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { TestFoundation, testSettings } from "../support/TestSettings.ts"

/** Real time, shortened: delays are divided by 40 and last 120 ms at most. */
const TIMES = 40
const LONGEST = 120

const short = (millis: number): number => Math.min(Math.max(0, millis) / TIMES, LONGEST)

export class CompressedTime implements Pick<VirtualTime, "now" | "at" | "after"> {
  /** Number of planned callbacks that have not run. */
  planned = 0

  get now(): number {
    return Date.now()
  }

  at(moment: number, happen: () => void): () => void {
    return this.after(moment - this.now, happen)
  }

  after(millis: number, happen: () => void): () => void {
    this.planned += 1
    let isOver = false
    const end = () => {
      if (!isOver) this.planned -= 1
      isOver = true
    }
    const timer = setTimeout(() => {
      happen()
      end()
    }, short(millis))
    return () => {
      clearTimeout(timer)
      end()
    }
  }

  readonly clock: Clock.Clock = {
    ...Clock.make(),
    sleep: (duration) => Clock.make().sleep(Duration.millis(short(Duration.toMillis(duration))))
  }
}

export const waitFor = <R>(isDone: Effect.Effect<boolean, never, R>): Effect.Effect<void, never, R> =>
  Effect.asVoid(Effect.repeat(isDone, { until: (done) => done, schedule: Schedule.spaced("40 millis") }))

/** Steps that need virtual time, machines or the memory tables themselves. */
const skippedSteps = new Set(["moveRates", "switchOff", "forget", "lock", "crash", "sleep", "clock", "replay"])

const variables = {
  PUBLIC_URL: "http://corridor.test",
  PROVIDER_TIMEOUT: "500 millis",
  STATUS_ENQUIRY_DELAYS: "50 millis, 100 millis, 200 millis, 300 millis",
  WEBHOOK_RETRY_DELAYS: "20 millis, 50 millis, 100 millis",
  DATABASE_POOL: "8"
}

const idle = new Set(["simulators", "figures", "rate limits", "months", "retention", "closed days"])

/** Memory tables that mirror the rows of PostgreSQL. */
const mirrorOf = Effect.gen(function* () {
  const stores = yield* buildPlan(storesPlan, simulationSettings)
  const database = Context.get(stores, MemoryDatabase)
  const tables = database.open({ ...watchedTables, ...booksTables, ...escrowTables })
  const fill = <Row>(table: Map<string, Row>, rows: ReadonlyArray<Row>, keyOf: (row: Row, at: number) => string) => {
    table.clear()
    rows.forEach((row, at) => table.set(keyOf(row, at), row))
  }
  const oneAtATime = yield* Effect.makeSemaphore(1)
  const copied = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`set transaction isolation level repeatable read`
    const rows = yield* readRows
    const hints = yield* sql<{ readonly attempt_id: string; readonly hint_at: Date | null }>`
      select attempt_id, hint_at from attempts`
    const hintOf = new Map(hints.map(({ attempt_id, hint_at }) => [attempt_id, hint_at]))
    const payouts = yield* sql<{ readonly payout_id: string }>`select * from escrow_payouts`
    const movements = rows.payments.flatMap(({ org_id, payment_id }) =>
      rows.books(payment_id).movements.map((one) => ({ ...one, org_id, payment_id }))
    )
    const allocations = rows.payments.flatMap(({ org_id, payment_id }) =>
      rows.books(payment_id).allocations.map((one) => ({ ...one, org_id, payment_id }))
    )
    const all = yield* Effect.flatMap(EscrowStore, (store) =>
      store.list(Option.none(), { account_id: undefined, status: undefined }, { take: 1000, after: Option.none() })
    )
    fill(tables.payments, rows.payments, ({ payment_id }) => payment_id)
    const attempts = rows.attempts.map((row) => ({ ...row, hint_at: hintOf.get(row.attempt_id) ?? null }))
    fill(tables.attempts, attempts as never, ({ attempt_id }: { readonly attempt_id: string }) => attempt_id)
    fill(tables.movements, movements, (_, at) => String(at))
    fill(tables.allocations, allocations, ({ allocation_id }) => allocation_id)
    fill(tables.escrowPayouts, payouts as never, ({ payout_id }: { readonly payout_id: string }) => payout_id)
    fill(tables.history, rows.history, (_, at) => String(at))
    fill(tables.operatorItems, rows.items, ({ item_id }) => item_id)
    fill(tables.events, rows.events, ({ event_id }) => event_id)
    fill(tables.webhookDeliveries, rows.deliveries, ({ delivery_id }) => delivery_id)
    fill(tables.ledgerPostings, rows.postings, (_, at) => String(at))
    fill(tables.virtualAccounts, rows.virtualAccounts, ({ account_id }) => account_id)
    fill(tables.virtualTransactions, rows.virtualTransactions, ({ transaction_id }) => transaction_id)
    fill(tables.escrows, all, ({ escrow_id }) => escrow_id)
  })
  /** Copies a consistent snapshot, one copy at a time. */
  const copy = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(copied)).pipe(
    Effect.orDie,
    oneAtATime.withPermits(1)
  )
  return { stores, database, tables, copy }
})

/** Moves waiting rows back by an hour, so that providers prove absence. */
const hourPasses = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`with a as (update attempts set next_enquiry_at = next_enquiry_at - interval '1 hour',
      hint_at = hint_at - interval '1 hour', leased_until = leased_until - interval '1 hour',
      asked_at = asked_at - interval '1 hour', sent_at = sent_at - interval '1 hour',
      started_at = started_at - interval '1 hour'),
    e as (update escrow_payouts set due_at = due_at - interval '1 hour' where due_at is not null)
    update payments set expires_at = expires_at - interval '1 hour' where expires_at is not null`
).pipe(Effect.orDie)

const SOON = 2_000

export interface RanOnPostgres {
  readonly problems: ReadonlyArray<string>
  readonly counts: ReadonlyMap<string, number>
}

const serviceOver = (providers: Layer.Layer<Providers>, planted: Planted) =>
  graphOf({
    services: services.pipe(Layer.provideMerge(providers)),
    stores: Layer.map(StoresLive, (stores) => applyBugs(stores, planted)),
    foundation: Layer.merge(TestDatabase, TestFoundation),
    settings: testSettings(variables)
  })

type Service = Layer.Layer.Success<ReturnType<typeof serviceOver>>

const ended = <A, E>(fiber: Fiber.RuntimeFiber<A, E>, then: (exit: Exit.Exit<A, E>) => void): void =>
  fiber.addObserver(then)

export const runOnPostgres = (
  seed: number,
  planted: Planted = nothingPlanted
): Effect.Effect<RanOnPostgres, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const chance = new Chance(seed)
    const time = new CompressedTime()
    const env = new SimulationEnvironment(time as unknown as VirtualTime, chance, new Set())
    const orders = new Orders(env)
    const receivers = new Receivers(env)
    const accounts = new Map(
      [...fiat, ...crypto].map((name) => [name as string, new SimulatedProvider(name, env, orders)])
    )
    const ports = new Map(Array.from(accounts, ([place, account]) => [place, account.port]))
    const providers = Layer.succeed(Providers, {
      find: (name, account) => Effect.sync(() => ports.get(accountKeyOf(name, account)))
    })
    const context = yield* Layer.build(serviceOver(providers, planted))
    const runtime = yield* Effect.provide(Effect.runtime<Service>(), context)
    const fork = Runtime.runFork(runtime)
    const mirror = yield* mirrorOf
    let underWay = 0

    const begun = <A, E>(effect: Effect.Effect<A, E, Service>, then: (exit: Exit.Exit<A, E>) => void): void => {
      underWay += 1
      const looked = Effect.zipLeft(Effect.exit(effect), mirror.copy)
      ended(fork(looked), (exit) => {
        underWay -= 1
        then(Exit.flatten(exit))
      })
    }

    const writer = new AnswerWriter()
    const answers = handleExchange(
      Context.get(context, Ids),
      routerOf(yield* Effect.provide(businessRoutes, context)),
      new Set()
    )
    env.send = (sent, answered) => {
      const answering = Effect.async<HttpReply, never, Service>((resume) => {
        const response = responseFor((reply) => resume(Effect.succeed(reply)))
        fork(answers(requestOf(sent, setImmediate), response, writer))
      })
      begun(answering, (exit) => answered(Exit.isSuccess(exit) ? exit.value : null))
    }

    const world = {
      env,
      tables: mirror.tables,
      database: mirror.database,
      stores: mirror.stores,
      want: () => {},
      runAsOperator: <A, E>(effect: Effect.Effect<A, E, Service>) =>
        Effect.async<A, E>((resume) => begun(effect, (exit) => resume(exit)))
    } as unknown as World
    const act = (actor: Effect.Effect<unknown>): void => {
      underWay += 1
      ended(Effect.runFork(Effect.withClock(actor, time.clock)), (exit) => {
        underWay -= 1
        if (Exit.isFailure(exit)) env.problem(`an actor broke down: ${Cause.pretty(exit.cause)}`)
      })
    }

    const organisations = yield* createFixtures(chance, fiat, crypto, [1, 2], noFocus).pipe(Effect.provide(context))
    for (const { endpoints, ownAccount } of organisations) {
      for (const { secret, url } of endpoints) receivers.know(url, secret)
      if (ownAccount === null) continue
      const own = new SimulatedProvider("stripe", env, orders, ownAccount)
      accounts.set(own.place, own)
      ports.set(own.place, own.port)
    }
    const scenario: ScenarioContext = {
      world,
      env,
      orders,
      organisations,
      keyed: new Map(),
      escrows: new Map(),
      off: new Map(),
      replaceAccount: (place) => {
        const account = accounts.get(place)
        account?.replaceAccount()
        if (account !== undefined) ports.set(place, account.port)
      },
      providerAt: (place) => accounts.get(place),
      deleted: { events: new Map(), deliveries: new Map() },
      isDisturbed: false
    }
    orders.sentAt = (reference) => mirror.tables.attempts.get(reference)?.sent_at

    const workers = Context.get(context, Workers)
    yield* startWorkers.pipe(
      Effect.provideService(Workers, {
        ...workers,
        start: (name, worker) => (idle.has(name) ? Effect.void : workers.start(name, worker))
      }),
      Effect.provideService(WebhookClient, receivers.client),
      Effect.provide(context)
    )

    /** Milliseconds until the next row is due; Infinity: none. */
    const dueIn = Effect.gen(function* () {
      yield* mirror.copy
      const { attempts, webhookDeliveries } = mirror.tables
      const isPending = Array.from(webhookDeliveries.values()).some(({ status }) => status === "pending")
      const isUnsent = dueFor(mirror.tables, "settlements", Date.now()) === 0
      if (isPending || isUnsent) return 0
      const times = Array.from(attempts.values(), ({ hint_at, next_enquiry_at }) =>
        Math.min(hint_at?.getTime() ?? Infinity, next_enquiry_at?.getTime() ?? Infinity)
      )
      return Math.min(...times, dueFor(mirror.tables, "escrow payouts", Date.now())) - Date.now()
    })

    /** Waits until nothing is planned, running or due. */
    const rest = waitFor(
      Effect.gen(function* () {
        if (underWay > 0 || time.planned > 0) return false
        const due = yield* dueIn
        if (due === Infinity) return underWay === 0 && time.planned === 0
        if (due > SOON) yield* hourPasses
        return false
      })
    ).pipe(Effect.provide(context))

    const values = liveValues(
      new Map(
        sandboxRates.map((one) => [`${one.from_currency} ${one.to_currency}`, { ...one, updated_at: new Date() }])
      )
    )
    const always = { get: () => values, has: () => false } as unknown as ReadonlyMap<string, CurrencyValues>
    const valued: ValueHistory = { payments: always, entries: always }
    const look = Effect.sync(() =>
      inspect(
        scenario,
        receivers,
        { writtenAt: new Map(), missedEvents: new Map(), valued },
        () => ({ problems: [] }) as never
      )
    )

    for (const step of drawSteps(chance, "usual", noFocus)) {
      if (skippedSteps.has(step.kind)) continue
      env.count(`step: ${step.kind}`)
      act(stepActions[step.kind]!(scenario, step))
      yield* Effect.sleep(Duration.millis(chance.pick([0, 5, 60, 200], `step ${step.number} rests`)))
    }
    yield* rest
    yield* look
    for (let round = 1; round <= MOST_ROUNDS && openItems(scenario).length > 0 && env.problems.length === 0; round++) {
      act(resolveQueue(scenario, round))
      yield* rest
      yield* look
    }
    if (env.problems.length === 0)
      for (const { detail, kind } of openItems(scenario))
        env.problem(`no decision closes an item of kind ${kind}: ${detail}`)
    const { problems } = yield* Effect.flatMap(LedgerStore, ({ check }) => check).pipe(Effect.provide(context))
    for (const { message } of problems) env.problem(message)
    for (const { direction, status } of mirror.tables.payments.values()) env.count(`${direction}: ${status}`)
    return { problems: env.problems, counts: env.counts }
  }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
