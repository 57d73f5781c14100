/**
 * Pages of lists, newest first unless the list has another order. A cursor is authenticated together with its scope, so
 * that it works only for the organisation, route and filters that it was made for.
 */
import type { Position, Window } from "../database/Query.ts"
import { Effect, Either, identity, Option, BigDecimal } from "effect"
import type { Access, Permit } from "../../domain/Access.ts"
import { Invalid } from "../../domain/Failure.ts"
import { pageBytes, pageStep } from "../../domain/policies/ServerPolicies.ts"
import { Vault } from "../secrets/Vault.ts"
import type { Stored } from "../database/DatabaseFailure.ts"
import { timingSafeEqual } from "node:crypto"

/** The sort key of a page's last row, such as its creation time and id. */
type CursorPosition = ReadonlyArray<string | number>

/** A keyed HMAC of the data, in hexadecimal, of at least 16 bytes. */
export type Mac = (data: string) => string

const MAC_BYTES = 16
const MAX_LENGTH = 4096

const MALFORMED = "the cursor is malformed or belongs to another list: start again without it"

const tagOf = (scope: string, payload: Buffer, mac: Mac): Buffer =>
  Buffer.from(mac(JSON.stringify(["cursor", scope, payload.toString("base64")])), "hex").subarray(0, MAC_BYTES)

/** Base64 of hexadecimal text has no `+` or `/`, so it needs no escaping in a URL. */
const encode = (bytes: Buffer): string => Buffer.from(bytes.toString("hex")).toString("base64")

export const sealCursor = (
  { position, scope }: { readonly scope: string; readonly position: CursorPosition },
  mac: Mac
): string => {
  const payload = Buffer.from(JSON.stringify(position))
  return encode(Buffer.concat([tagOf(scope, payload, mac), payload]))
}

const isPosition = (value: unknown): value is CursorPosition =>
  Array.isArray(value) && value.every((part) => typeof part === "string" || typeof part === "number")

/** Of all texts that decode to the same bytes only one is taken. */
const decode = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(Buffer.from(text, "base64").toString("latin1"), "hex")
  return encode(bytes) === text ? bytes : undefined
}

export const openCursor = (text: string, scope: string, mac: Mac): Either.Either<CursorPosition, string> => {
  const bytes = text.length > MAX_LENGTH ? undefined : decode(text)
  if (bytes === undefined || bytes.length <= MAC_BYTES) return Either.left(MALFORMED)
  const payload = bytes.subarray(MAC_BYTES)
  const expected = tagOf(scope, payload, mac)
  if (!timingSafeEqual(expected, bytes.subarray(0, MAC_BYTES))) return Either.left(MALFORMED)
  const position: unknown = JSON.parse(payload.toString("utf8"))
  return isPosition(position) ? Either.right(position) : Either.left(MALFORMED)
}

/** Takes the rows of a query that asked for one more than the page shows. */
export const page = <Row>(rows: ReadonlyArray<Row>, limit: number, positionOf: (row: Row) => CursorPosition) => {
  const items = rows.slice(0, limit)
  const hasMore = rows.length > limit
  return { items, hasMore, next: Option.map(Option.fromNullable(hasMore ? items.at(-1) : undefined), positionOf) }
}

const NUMBER = 12
/** JSON from outside is never deeper; what is deeper goes in circles. */
const DEEPEST = 40

/** About how many bytes a value takes as JSON, without writing it. */
export const weightOf = (value: unknown, depth = 0): number => {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null || BigDecimal.isBigDecimal(value) || depth > DEEPEST) return NUMBER
  if (value instanceof Date) return 26
  let weight = 2
  if (Array.isArray(value)) {
    for (const item of value) weight += weightOf(item, depth + 1) + 1
    return weight
  }
  const members = value as Readonly<Record<string, unknown>>
  for (const name in members) weight += name.length + 4 + weightOf(members[name], depth + 1)
  return weight
}

/** Number of rows that fit into so many bytes, at least one. */
export const fitting = (rows: ReadonlyArray<unknown>, most: number): number => {
  let weight = 0
  const first = rows.findIndex((row, at) => {
    weight += weightOf(row)
    return weight > most && at > 0
  })
  return first === -1 ? rows.length : first
}

interface Request<Asked> {
  readonly permit: Permit<Access>
  readonly route: string
  readonly urlParams: Asked
}

interface List<Row, Shown> {
  readonly message: string
  /** Filters of the request: a cursor works only with the same filters. */
  readonly filters?: unknown
  readonly fetch: (window: Window) => Stored<ReadonlyArray<Row>>
  /** Position of a row. */
  readonly positionOf: (row: Row) => Position
  /** A row as callers see it, where that is not as it is kept. */
  readonly show?: (row: Row) => Shown
}

interface Newest<Row, Shown> extends Omit<List<Row, Shown>, "positionOf"> {
  readonly idOf: (row: Row) => string
}

const scopeOf = ({ permit, route }: Request<unknown>, filters: unknown): string =>
  JSON.stringify([Option.getOrNull(permit.scope), route, filters ?? null])

const openedCursor = (name: string, cursor: string | undefined, scope: string, mac: Mac) =>
  cursor === undefined
    ? Effect.succeed(Option.none<CursorPosition>())
    : openCursor(cursor, scope, mac).pipe(
        Either.map(Option.some),
        Either.mapLeft((reason) => new Invalid({ message: `${name}: ${reason}.` }))
      )

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
    return Effect.fnUntraced(function* <Row, Shown = Row>(
      { permit, route, urlParams }: Request<Asked<Name>>,
      { fetch, filters, message, positionOf, show = identity as (row: Row) => Shown }: List<Row, Shown>
    ) {
      const scope = scopeOf({ permit, route, urlParams }, filters)
      const { limit } = urlParams
      const cursor: string | undefined = urlParams[name]
      const opened = yield* openedCursor(name, cursor, scope, mac)
      const after = Option.map(opened, (position) => position as unknown as Position)
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
        list(request, { positionOf: (row: Row) => [row.created_at.toISOString(), idOf(row)], ...rest })
  )

export const makePages = pagesBy("last_evaluated_key")

/** For lists under /organizations. */
export const makeCamelPages = pagesBy("lastEvaluatedKey")

/** For those of them that have an order of their own. */
export const makeOrderedCamelPages = orderedBy("lastEvaluatedKey")

interface Parts<Row, At extends CursorPosition> {
  readonly filters: unknown
  /** Reads a page; `next`: where the following one begins; none: all is read. */
  readonly fetch: (
    from: Option.Option<At>,
    take: number
  ) => Stored<{ readonly found: ReadonlyArray<Row>; readonly next: Option.Option<At> }>
  readonly positionOf: (row: Row) => At
}

/** Pages of a list that ends a page where it likes, such as a search that reads so much at once. */
export const makeSearchPages = Effect.map(Vault, (vault) => {
  const mac = (data: string) => vault.hmac(data, "cursor")
  return Effect.fnUntraced(function* <Row, At extends CursorPosition>(
    request: Request<Asked<"last_evaluated_key">>,
    { fetch, filters, positionOf }: Parts<Row, At>
  ) {
    const scope = scopeOf(request, filters)
    const { last_evaluated_key: cursor, limit } = request.urlParams
    const from = Option.map(
      yield* openedCursor("last_evaluated_key", cursor, scope, mac),
      (position) => position as unknown as At
    )
    const { found, next } = yield* fetch(from, limit)
    const items = found.slice(0, fitting(found, pageBytes))
    const following = items.length < found.length ? Option.map(Option.fromNullable(items.at(-1)), positionOf) : next
    const last_evaluated_key = Option.getOrNull(
      Option.map(following, (position) => sealCursor({ scope, position }, mac))
    )
    const meta = { count: items.length, has_more: last_evaluated_key !== null, last_evaluated_key }
    return { items, meta, last_evaluated_key, next: following }
  })
})
