/** One page of a list, newest first, as a handler answers it: opens the caller's cursor, asks the store, seals the next. */
import { Effect, Either, identity, Option } from "effect"
import type { Access, Permit } from "../domain/Access.ts"
import { Invalid } from "../domain/Failure.ts"
import { Vault } from "../secrets/Vault.ts"
import { openCursor, page, sealCursor } from "./Cursor.ts"

/** When the last row of a page was made, and its id. */
export type Position = readonly [at: string, id: string]

export interface Window {
  readonly after: Option.Option<Position>
  readonly take: number
}

interface Request<Asked> {
  readonly permit: Permit<Access>
  readonly route: string
  readonly urlParams: Asked
}

interface List<Row, Shown> {
  readonly message: string
  /** What else the caller asked for: a cursor works only together with the same. */
  readonly filters?: unknown
  readonly fetch: (window: Window) => Effect.Effect<ReadonlyArray<Row>>
  readonly idOf: (row: Row) => string
  /** A row as callers see it, where that is not as it is kept. */
  readonly show?: (row: Row) => Shown
}

interface Dated {
  readonly created_at: Date
}

const makeList = Effect.map(Vault, (vault) => {
  const mac = (data: string) => vault.hmac(data, "cursor")
  return Effect.fn("Page.list")(function* <Row extends Dated, Shown>(
    { permit, route }: Request<unknown>,
    limit: number,
    cursor: { readonly name: string; readonly value: string | undefined },
    { fetch, filters, idOf, show = identity as (row: Row) => Shown }: List<Row, Shown>
  ) {
    const scope = JSON.stringify([Option.getOrNull(permit.scope), route, filters ?? null])
    const after =
      cursor.value === undefined
        ? Option.none<Position>()
        : yield* openCursor(cursor.value, scope, mac).pipe(
            Either.map((position) => Option.some(position as unknown as Position)),
            Either.mapLeft((reason) => new Invalid({ message: `${cursor.name}: ${reason}.` }))
          )
    const rows = yield* fetch({ after, take: limit + 1 })
    const { hasMore, items, next } = page(rows, limit, (row) => [row.created_at.toISOString(), idOf(row)])
    const sealed = Option.map(next, (position) => sealCursor({ scope, position }, mac))
    return { data: items.map(show), count: items.length, has_more: hasMore, next: Option.getOrNull(sealed) }
  })
})

export const makePages = Effect.map(
  makeList,
  (list) =>
    <Row extends Dated, Shown = Row>(
      request: Request<{ readonly limit: number; readonly last_evaluated_key?: string | undefined }>,
      wanted: List<Row, Shown>
    ) => {
      const { last_evaluated_key: value, limit } = request.urlParams
      const cursor = { name: "last_evaluated_key", value }
      return Effect.map(
        list(request, limit, cursor, wanted),
        ({ count, data, has_more, next: last_evaluated_key }) => ({
          status: "success" as const,
          message: wanted.message,
          data,
          meta: { count, has_more, last_evaluated_key },
          last_evaluated_key
        })
      )
    }
)

/** For lists under /organizations, which spell their cursor another way. */
export const makeCamelPages = Effect.map(
  makeList,
  (list) =>
    <Row extends Dated, Shown = Row>(
      request: Request<{ readonly limit: number; readonly lastEvaluatedKey?: string | undefined }>,
      wanted: List<Row, Shown>
    ) => {
      const { lastEvaluatedKey: value, limit } = request.urlParams
      const cursor = { name: "lastEvaluatedKey", value }
      return Effect.map(list(request, limit, cursor, wanted), ({ count, data, has_more, next: lastEvaluatedKey }) => ({
        status: "success" as const,
        message: wanted.message,
        data,
        meta: { count, has_more, lastEvaluatedKey },
        lastEvaluatedKey
      }))
    }
)
