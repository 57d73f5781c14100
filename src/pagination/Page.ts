/** One page of a list, newest first: opens the caller's cursor, asks the store, seals the next cursor. */
import { Effect, Either, Option } from "effect"
import type { Access, Permit } from "../domain/Access.ts"
import { Invalid } from "../domain/Failure.ts"
import type { VaultService } from "../secrets/Vault.ts"
import { openCursor, page, sealCursor } from "./Cursor.ts"

/** When the last row of a page was made, and its id. */
export type Position = readonly [at: string, id: string]

export interface Window {
  readonly after: Option.Option<Position>
  readonly take: number
}

interface Asked {
  readonly limit: number
  readonly last_evaluated_key?: string | undefined
}

/** `filters` is what else the caller asked for: a cursor works only together with the same. */
export const paginate = Effect.fn("Page.paginate")(function* <Row extends { readonly created_at: Date }, R>(options: {
  readonly vault: VaultService
  readonly permit: Permit<Access>
  readonly route: string
  readonly asked: Asked
  readonly filters?: unknown
  /** What this list calls its cursor, where that is not `last_evaluated_key`. */
  readonly cursorName?: string
  readonly fetch: (window: Window) => Effect.Effect<ReadonlyArray<Row>, never, R>
  readonly idOf: (row: Row) => string
}) {
  const { asked, cursorName = "last_evaluated_key", fetch, idOf, permit, route, vault } = options
  const scope = JSON.stringify([Option.getOrNull(permit.scope), route, options.filters ?? null])
  const mac = (data: string) => vault.hmac(data, "cursor")
  const after =
    asked.last_evaluated_key === undefined
      ? Option.none<Position>()
      : yield* openCursor(asked.last_evaluated_key, scope, mac).pipe(
          Either.map((position) => Option.some(position as unknown as Position)),
          Either.mapLeft((reason) => new Invalid({ message: `${cursorName}: ${reason}.` }))
        )
  const rows = yield* fetch({ after, take: asked.limit + 1 })
  const { hasMore, items, next } = page(rows, asked.limit, (row) => [row.created_at.toISOString(), idOf(row)])
  const last_evaluated_key = Option.match(next, {
    onNone: () => null,
    onSome: (position) => sealCursor({ scope, position }, mac)
  })
  return {
    data: items,
    meta: { count: items.length, has_more: hasMore, last_evaluated_key },
    last_evaluated_key
  }
})
