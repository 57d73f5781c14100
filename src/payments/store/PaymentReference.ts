/**
 * What a payment is known by outside: the caller's own reference, the first characters of its id, or what a provider
 * calls it. The first eight are only its time; with the first 23 no two are alike. Whoever is told one finds the payment
 * by it, or by less.
 */
import type { SqlClient } from "@effect/sql"
import { Option } from "effect"
import type { PaymentId } from "../../domain/Identifiers.ts"
import { inScope, ownedIn, type Scope } from "../../platform/database/Query.ts"
import type { Payment } from "./Payment.ts"

const LENGTH = 23

export const referenceOf = ({
  client_reference,
  payment_id
}: Pick<Payment, "client_reference" | "payment_id">): string => client_reference ?? payment_id.slice(0, LENGTH)

const SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const LOWEST = "00000000-0000-0000-0000-000000000000"
const HIGHEST = "ffffffff-ffff-ffff-ffff-ffffffffffff"

interface Range {
  readonly from: string
  readonly to: string
}

/** All ids that begin so; none where no id does. */
export const idsBeginning = (text: string): Option.Option<Range> => {
  const prefix = text.toLowerCase()
  const from = prefix + LOWEST.slice(prefix.length)
  return prefix !== "" && SHAPE.test(from)
    ? Option.some({ from, to: prefix + HIGHEST.slice(prefix.length) })
    : Option.none()
}

/** `called`: the payments that some provider calls by this text. */
export const isKnownBy = (
  text: string,
  { client_reference, payment_id, transaction_id }: Payment,
  called: ReadonlySet<PaymentId>
): boolean => {
  const within = ({ from, to }: Range, id: string): boolean => from <= id && id <= to
  return (
    client_reference === text ||
    called.has(payment_id) ||
    Option.exists(idsBeginning(text), (range) => within(range, payment_id) || within(range, transaction_id))
  )
}

/** Of a reference that many share, the newest so many are found. */
const MOST = 100

/** One look into an index for each thing that the text may be; the answer is so short that the rest is cheap. */
export const knownBy = (sql: SqlClient.SqlClient, scope: Scope, text: string) => {
  const mine = inScope(sql, scope)
  const named = sql`(select payment_id from payments where ${mine} and client_reference = ${text}
      order by created_at desc limit ${MOST})
    union (select payment_id from attempts where ${ownedIn(sql, scope)} and provider_payment_id = ${text} limit ${MOST})`
  const ids = Option.match(idsBeginning(text), {
    onNone: () => named,
    onSome: ({ from, to }) => sql`(select payment_id from payments where ${mine}
        and payment_id between ${from}::uuid and ${to}::uuid order by payment_id desc limit ${MOST})
      union (select payment_id from payments where ${mine}
        and transaction_id between ${from}::uuid and ${to}::uuid order by transaction_id desc limit ${MOST})
      union ${named}`
  })
  return sql`payment_id = any (array(${ids}))`
}
