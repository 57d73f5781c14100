/**
 * Turns the place where a page ended into an opaque text and back. The text is authenticated together with its scope,
 * so that a cursor works only for the organisation, route and filters that it was made for.
 */
import { timingSafeEqual } from "node:crypto"
import { Either, Option } from "effect"

/** The sort key of a page's last row, such as its creation time and id. */
export type Position = ReadonlyArray<string | number>

/** A keyed HMAC of the data, in hexadecimal, of at least 16 bytes. */
export type Mac = (data: string) => string

const MAC_BYTES = 16
const MAX_LENGTH = 4096

const MALFORMED = "the cursor is malformed or belongs to another list: start again without it"

const tagOf = (scope: string, payload: Buffer, mac: Mac): Buffer =>
  Buffer.from(mac(JSON.stringify(["cursor", scope, payload.toString("base64")])), "hex").subarray(0, MAC_BYTES)

/** The base64 of hexadecimal text has no `+` and no `/`, so that it stays what it is in a URL that nobody escaped. */
const encode = (bytes: Buffer): string => Buffer.from(bytes.toString("hex")).toString("base64")

export const sealCursor = (
  { position, scope }: { readonly scope: string; readonly position: Position },
  mac: Mac
): string => {
  const payload = Buffer.from(JSON.stringify(position))
  return encode(Buffer.concat([tagOf(scope, payload, mac), payload]))
}

const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) && value.every((part) => typeof part === "string" || typeof part === "number")

/** Of all texts that decode to the same bytes only one is taken. */
const decode = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(Buffer.from(text, "base64").toString("latin1"), "hex")
  return encode(bytes) === text ? bytes : undefined
}

export const openCursor = (text: string, scope: string, mac: Mac): Either.Either<Position, string> => {
  const bytes = text.length > MAX_LENGTH ? undefined : decode(text)
  if (bytes === undefined || bytes.length <= MAC_BYTES) return Either.left(MALFORMED)
  const payload = bytes.subarray(MAC_BYTES)
  const expected = tagOf(scope, payload, mac)
  if (!timingSafeEqual(expected, bytes.subarray(0, MAC_BYTES))) return Either.left(MALFORMED)
  const position: unknown = JSON.parse(payload.toString("utf8"))
  return isPosition(position) ? Either.right(position) : Either.left(MALFORMED)
}

export interface Page<Row> {
  readonly items: ReadonlyArray<Row>
  readonly next: Option.Option<Position>
  readonly hasMore: boolean
}

/** Takes the rows of a query that asked for one more than the page shows. */
export const page = <Row>(rows: ReadonlyArray<Row>, limit: number, positionOf: (row: Row) => Position): Page<Row> => {
  const items = rows.slice(0, limit)
  const hasMore = rows.length > limit
  const last = items.at(-1)
  return { items, hasMore, next: hasMore && last !== undefined ? Option.some(positionOf(last)) : Option.none() }
}
