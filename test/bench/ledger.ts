/**
 * Measures postings to one settlement account: one entry a statement on 16 connections, then 64 on two, as concurrent
 * payments share them. `npx tsx test/bench/ledger.ts [seconds for each]`
 */
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Logger, LogLevel, Redacted, Schema } from "effect"
import { OrgId, PaymentId, Ids } from "../../src/domain/Ids.ts"
import { Pool } from "pg"
import { migrate } from "../../src/platform/database/Migrations.ts"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { type Entry, LedgerAccount, move } from "../../src/domain/Ledger.ts"
import { Money } from "../../src/domain/Money.ts"
import { LedgerStore } from "../../src/money/ledger/LedgerStore.ts"
import { ledgerStoreSql, postingRows, postStatement } from "../../src/money/ledger/LedgerSql.ts"
import { durableCluster, statement, temporaryFolder, urlOf } from "./BenchCluster.ts"

const DATABASE = "ledger"
const WARM_UP_SECONDS = 2

const currency = Schema.decodeUnknownSync(CurrencyCode)("KES")
const amount = new Money({ currency, minor: 10_000n })

interface Taken {
  /** Seconds since the beginning. */
  readonly at: number
  readonly millis: number
}

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

const latency = (taken: ReadonlyArray<Taken>): string => {
  const sorted = taken.map(({ millis }) => millis).sort((a, b) => a - b)
  return `p50 ${percentile(sorted, 0.5).toFixed(1)} ms, p99 ${percentile(sorted, 0.99).toFixed(1)} ms`
}

const say = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

const bench = (seconds: number) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const folder = yield* temporaryFolder("bench")
    const { durability, url: clusterUrl } = yield* durableCluster(folder)
    yield* statement(clusterUrl, `create database ${DATABASE}`)
    const url = urlOf(clusterUrl, DATABASE)
    const database = PgClient.layer({ url: Redacted.make(url), maxConnections: 2 })
    yield* Effect.provide(Logger.withMinimumLogLevel(migrate, LogLevel.None), database)
    const org_id = yield* ids.make(OrgId)
    yield* statement(
      url,
      `insert into organizations (org_id, name, country, currency, email)
        values ('${org_id}', 'Bench', 'KE', 'KES', 'bench@corridor.example')`
    )
    yield* say(
      `PostgreSQL ${durability.version}, fsync ${durability.fsync}, synchronous_commit ${durability.synchronousCommit}`
    )

    const settlement = LedgerAccount.settlement(org_id, currency)
    const provider = LedgerAccount.provider("fiat", currency)
    const entry = Effect.map(ids.make(PaymentId), (payment_id): Entry => ({
      entry_id: payment_id,
      org_id,
      kind: "payin",
      payment_id,
      reference: null,
      postings: move(provider, settlement, amount)
    }))

    /** Each connection posts its next statement after the last commit. */
    const load = (connections: number, entries: number, forSeconds: number) =>
      Effect.gen(function* () {
        const pool = yield* Effect.acquireRelease(
          Effect.sync(() => new Pool({ connectionString: url, max: connections })),
          (open) => Effect.promise(() => open.end())
        )
        const taken: Array<Taken> = []
        const began = performance.now()
        const elapsed = () => (performance.now() - began) / 1000
        const one = Effect.gen(function* () {
          const rows = postingRows(yield* Effect.replicateEffect(entry, entries))
          const started = performance.now()
          yield* Effect.promise(() => pool.query({ name: "post", text: postStatement, values: [JSON.stringify(rows)] }))
          taken.push({ at: elapsed(), millis: performance.now() - started })
        })
        const connection = Effect.whileLoop({ while: () => elapsed() < forSeconds, body: () => one, step: () => {} })
        yield* Effect.replicateEffect(connection, connections, { concurrency: "unbounded", discard: true })
        return { rate: (taken.length * entries) / elapsed(), taken }
      }).pipe(Effect.scoped)

    const measure = Effect.fnUntraced(function* (connections: number, entries: number) {
      yield* load(connections, entries, WARM_UP_SECONDS)
      const { rate, taken } = yield* load(connections, entries, seconds)
      const fifth = seconds / 5
      yield* say(
        [
          `${entries} to a statement, ${connections} connections: ${rate.toFixed(0)} entries/s (${(2 * rate).toFixed(0)} postings/s)`,
          `  first fifth ${latency(taken.filter(({ at }) => at < fifth))}`,
          `  last fifth  ${latency(taken.filter(({ at }) => at > seconds - fifth))}`
        ].join("\n")
      )
    })

    yield* measure(16, 1)
    yield* measure(2, 64)

    const timed = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
      Effect.flatMap(Effect.timed(effect), ([duration, value]) =>
        Effect.as(say(`${what}: ${Duration.toMillis(duration).toFixed(0)} ms`), value)
      )
    yield* Effect.gen(function* () {
      const store = yield* LedgerStore
      yield* timed("balance of the provider, summed", store.balance(provider))
      yield* timed("balance of the provider, summed again", store.balance(provider))
      const report = yield* timed("check of all books", store.check)
      yield* say(`${report.postings} postings checked, ${report.problems.length} problems`)
    }).pipe(Effect.provide(ledgerStoreSql), Effect.provide(database))
  }).pipe(Effect.scoped, Effect.provide(Ids.layer))

const [seconds = 15] = process.argv.slice(2).map(Number)
await Effect.runPromise(bench(seconds))
