/**
 * Queues of rows that wait for providers. Each provider has a limit of its own, so that a slow one does not delay the others,
 * and the rows of its organisations are taken in turn, so that no backlog stands before another's.
 */
import { Effect, FiberSet } from "effect"
import { type ProviderName, providerNames } from "../../domain/Corridor.ts"
import type { OrgId } from "../../domain/Ids.ts"
import { unspanned } from "../observability/Spans.ts"

/** Number of rows that may be claimed for a provider, and how many of each organisation are in work already. */
export interface ProviderCapacity {
  readonly provider: ProviderName
  readonly room: number
  readonly busy?: Readonly<Record<string, number>>
}

/** Number of rows in work of each organisation. */
export const countByOrg = (running: Iterable<{ readonly org_id: OrgId | null }>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { org_id } of running) counts[`${org_id}`] = (counts[`${org_id}`] ?? 0) + 1
  return counts
}

/** Runs work with a limit per provider. */
export const makeProviderSlots = (size: number) =>
  Effect.gen(function* () {
    const fork = yield* FiberSet.makeRuntime<never>()
    const running = new Map(providerNames.map((provider) => [provider, new Set<{ readonly org_id: OrgId | null }>()]))
    return {
      room: (): ReadonlyArray<ProviderCapacity> =>
        Array.from(running, ([provider, rows]) => ({
          provider,
          room: size - rows.size,
          busy: countByOrg(rows)
        })).filter(({ room }) => room > 0),
      /** Some provider has no room: its due rows wait for an answer. */
      isFull: (): boolean => Array.from(running.values()).some((rows) => rows.size >= size),
      /** Begins the work for an organisation (null: for all), and does not wait for it. */
      run: (provider: ProviderName, org_id: OrgId | null, work: Effect.Effect<void>): Effect.Effect<void> =>
        Effect.sync(() => {
          const rows = running.get(provider)!
          const row = { org_id }
          rows.add(row)
          fork(
            Effect.ensuring(
              unspanned(work),
              Effect.sync(() => rows.delete(row))
            )
          )
        })
    }
  })

export const fullCapacity = (room: number): ReadonlyArray<ProviderCapacity> =>
  providerNames.map((provider) => ({ provider, room }))

export const capacityText = (capacity: ReadonlyArray<ProviderCapacity>): string => JSON.stringify(capacity)

/** Conditions on a row `a` of the queue. An index has `queued` rows by provider, organisation and order. */
interface ProviderQueue {
  readonly table: string
  readonly id: string
  readonly provider: string
  readonly queued: string
  readonly due: string
  readonly order: string
}

/** So many of a provider are looked at one by one. Where there are more, each organisation's first are looked for. */
const FEW = 500

/**
 * `chosen`, the ids of due rows for the capacity in $1: the oldest of every organisation first, then the second of each, and
 * so on. Rows in work count as turns: room that comes back one by one would go to the longest backlog.
 */
export const chosenInTurn = ({ due, id, order, provider, queued, table }: ProviderQueue): string => {
  const first = (whose: string, most: string) =>
    `select a.${id} as id, a.org_id, ${order} as due_at from ${table} a where ${whose} and ${queued} and ${due}
      order by ${order} limit ${most}`
  const nextOwner = (of: string, after: string) =>
    `(select a.org_id from ${table} a where a.${provider} = ${of}.provider ${after} and ${queued} order by a.org_id limit 1)`
  return `recursive capacity as (
    select l.provider, l.room, l.busy from jsonb_to_recordset($1::jsonb) as l (provider text, room integer, busy jsonb)
    where l.room > 0
  ), few as (
    select l.provider, l.room, a.* from capacity l cross join lateral (${first(`a.${provider} = l.provider`, `${FEW}`)}) a
  ), many as (
    select provider, room from few group by provider, room having count(*) = ${FEW}
  ), owners as (
    select m.provider, m.room, ${nextOwner("m", "")} as org_id from many m
    union all
    select o.provider, o.room, ${nextOwner("o", "and a.org_id > o.org_id")} from owners o where o.org_id is not null
  ), due as (
    select * from few where provider not in (select provider from many)
    union all
    select o.provider, o.room, a.* from owners o
    cross join lateral (${first(`a.${provider} = o.provider and a.org_id = o.org_id`, "o.room")}) a
    where o.org_id is not null
  ), turns as (
    select d.id, d.provider, d.room, d.due_at, coalesce((l.busy ->> d.org_id::text)::integer, 0)
      + row_number() over (partition by d.provider, d.org_id order by d.due_at) as turn
    from due d join capacity l on l.provider = d.provider
  ), chosen as (
    select id from (
      select id, room, row_number() over (partition by provider order by turn, due_at) as place from turns
    ) ranked where place <= room
  )`
}

/** The same of rows in memory. */
export const inTurn = <Row extends { readonly org_id: string }>(
  capacity: ReadonlyArray<ProviderCapacity>,
  rows: ReadonlyArray<Row>,
  providerOf: (row: Row) => ProviderName,
  at: (row: Row) => number
): ReadonlyArray<Row> =>
  capacity.flatMap(({ busy = {}, provider, room }) => {
    const turns = new Map(Object.entries(busy))
    return rows
      .filter((row) => providerOf(row) === provider)
      .toSorted((a, b) => at(a) - at(b))
      .map((row) => {
        const turn = (turns.get(row.org_id) ?? 0) + 1
        turns.set(row.org_id, turn)
        return { row, turn }
      })
      .toSorted((a, b) => a.turn - b.turn || at(a.row) - at(b.row))
      .slice(0, room)
      .map(({ row }) => row)
  })
