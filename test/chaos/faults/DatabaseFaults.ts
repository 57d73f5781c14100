/** Faults of PostgreSQL: stopped, killed, lost backends, connections or disk space, held locks. */
import { Effect, Either } from "effect"
import { Client } from "pg"
import { administer, instanceRole, type Postgres } from "../environment/Postgres.ts"
import { type FaultKind, untilDone } from "./Fault.ts"

const back = ({ using }: Postgres): Effect.Effect<void> =>
  untilDone(using(async (client) => void (await client.query("select 1"))))

const signalled = (name: string, signal: NodeJS.Signals): FaultKind => ({
  name,
  lasts: [0, 0],
  make: ({ instances, postgres }) => ({
    affects: instances,
    begin: untilDone(Effect.sync(() => void process.kill(postgres.postmaster(), signal))),
    end: back(postgres)
  })
})

export const databaseRestarted = signalled("PostgreSQL stopped at once", "SIGQUIT")
export const databaseKilled = signalled("PostgreSQL killed (-9)", "SIGKILL")

/** Terminates a share of the instances' connections. */
const terminate = (share: number) =>
  `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${instanceRole}' and random() < ${share}`

export const backendsTerminated: FaultKind = {
  name: "backends terminated",
  lasts: [0, 0],
  make: ({ instances, postgres }, chance, purpose) => ({
    affects: instances,
    begin: untilDone(administer(postgres, terminate(chance.pick([0.3, 0.6, 1], `${purpose} share`)))),
    end: Effect.void
  })
}

export const connectionsRunOut: FaultKind = {
  name: "connections run out",
  lasts: [2_000, 6_000],
  make: ({ instances, postgres }, chance, purpose) => ({
    affects: instances,
    begin: untilDone(
      administer(
        postgres,
        `alter role ${instanceRole} connection limit ${chance.between(0, 4, `${purpose} limit`)}; ${terminate(1)}`
      )
    ),
    end: untilDone(administer(postgres, `alter role ${instanceRole} connection limit -1`))
  })
}

const locks = [
  "select from payments order by payment_id desc limit 50 for update",
  "select from ledger_balances for update",
  "select from attempts order by attempt_id desc limit 50 for update",
  "select from webhook_queue limit 100 for update"
]

/** A foreign transaction that holds locks. */
const held = (name: string, lasts: FaultKind["lasts"], statements: ReadonlyArray<string>): FaultKind => ({
  name,
  lasts,
  make: ({ instances, postgres }, chance, purpose) => {
    let client: Client | undefined
    const statement = chance.pick(statements, `${purpose} lock`)
    return {
      affects: instances,
      begin: Effect.promise(async () => {
        client = new Client({ connectionString: postgres.ownUrl() })
        client.on("error", () => undefined)
        // Without a database there is nothing to lock.
        await client
          .connect()
          .then(() => client!.query(`begin; set local lock_timeout = '2s'; ${statement}`))
          .catch(() => undefined)
      }),
      end: Effect.promise(() => client!.end().catch(() => undefined))
    }
  }
})

export const rowsLocked = held("rows locked", [2_000, 8_000], locks)

export const tableLocked = held(
  "table locked",
  [1_000, 5_000],
  ["payments", "ledger_balances", "events", "idempotency_keys"].map((table) => `lock table ${table}`)
)

export const diskFull: FaultKind = {
  name: "disk full",
  lasts: [2_000, 8_000],
  missing: ({ disk }) => Either.getOrUndefined(Either.flip(disk)),
  make: ({ disk, instances, postgres }) => {
    const { fill, free } = Either.getOrThrow(disk)
    return { affects: instances, begin: fill, end: Effect.zipRight(free, back(postgres)) }
  }
}
