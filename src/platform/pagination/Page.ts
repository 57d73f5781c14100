/** One page of a list as a handler answers it, newest first unless the list says otherwise: opens the caller's cursor, asks the store, seals the next. */
import type { Position, Window } from "../database/Window.ts"
import { Effect, Either, identity, Option } from "effect"
import type { Access, Permit } from "../../domain/Access.ts"
import { Invalid } from "../../domain/Failure.ts"
import { pageBytes, pageStep } from "../../domain/policies/Server.ts"
import { Vault } from "../secrets/Vault.ts"
import { openCursor, page, sealCursor } from "./Cursor.ts"
import { fitting } from "./Weight.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

interface Request<Asked> {
  readonly permit: Permit<Access>
  readonly route: string
  readonly urlParams: Asked
}

interface List<Row, Shown> {
  readonly message: string
  /** What else the caller asked for: a cursor works only together with the same. */
  readonly filters?: unknown
  readonly fetch: (window: Window) => Stored<ReadonlyArray<Row>>
  /** What the page after this row begins after. */
  readonly positionOf: (row: Row) => Position
  /** A row as callers see it, where that is not as it is kept. */
  readonly show?: (row: Row) => Shown
}

interface Newest<Row, Shown> extends Omit<List<Row, Shown>, "positionOf"> {
  readonly idOf: (row: Row) => string
}

type Asked<Name extends string> = { readonly limit: number } & { readonly [Key in Name]?: string | undefined }

/** The first few tell how heavy they are: the rest is read only if the page has room for more. */
const fetched = Effect.fnUntraced(function* <Row>(
  fetch: List<Row, unknown>["fetch"],
  after: Option.Option<Position>,
  take: number,
  positionOf: (row: Row) => Position
) {
  const few = yield* fetch({ after, take: Math.min(take, pageStep) })
  const last = few.at(-1)
  if (few.length < pageStep || few.length === take || last === undefined || fitting(few, pageBytes) < few.length) {
    return few
  }
  return [...few, ...(yield* fetch({ after: Option.some(positionOf(last)), take: take - few.length }))]
})

/** `name` is what the lists call their cursor, in the query and in the answer. */
const orderedBy = <const Name extends string>(name: Name) =>
  Effect.map(Vault, (vault) => {
    const mac = (data: string) => vault.hmac(data, "cursor")
    return Effect.fn("Page.list")(function* <Row, Shown = Row>(
      { permit, route, urlParams }: Request<Asked<Name>>,
      { fetch, filters, message, positionOf, show = identity as (row: Row) => Shown }: List<Row, Shown>
    ) {
      const scope = JSON.stringify([Option.getOrNull(permit.scope), route, filters ?? null])
      const { limit } = urlParams
      const cursor: string | undefined = urlParams[name]
      const after =
        cursor === undefined
          ? Option.none<Position>()
          : yield* openCursor(cursor, scope, mac).pipe(
              Either.map((position) => Option.some(position as unknown as Position)),
              Either.mapLeft((reason) => new Invalid({ message: `${name}: ${reason}.` }))
            )
      const rows = yield* fetched(fetch, after, limit + 1, positionOf)
      const shown = Math.min(limit, fitting(rows, pageBytes))
      const { hasMore, items, next } = page(rows, shown, positionOf)
      const sealed = Option.map(next, (position) => sealCursor({ scope, position }, mac))
      const rest = { [name]: Option.getOrNull(sealed) } as Record<Name, string | null>
      const meta = { count: items.length, has_more: hasMore, ...rest }
      return { status: "success" as const, message, data: items.map(show), meta, ...rest }
    })
  })

const pagesBy = <const Name extends string>(name: Name) =>
  Effect.map(
    orderedBy(name),
    (list) =>
      <Row extends { readonly created_at: Date }, Shown = Row>(
        request: Request<Asked<Name>>,
        { idOf, ...rest }: Newest<Row, Shown>
      ) =>
        list(request, { ...rest, positionOf: (row: Row) => [row.created_at.toISOString(), idOf(row)] })
  )

export const makePages = pagesBy("last_evaluated_key")

/** For lists under /organizations. */
export const makeCamelPages = pagesBy("lastEvaluatedKey")

/** For those of them that have an order of their own. */
export const makeOrderedCamelPages = orderedBy("lastEvaluatedKey")
