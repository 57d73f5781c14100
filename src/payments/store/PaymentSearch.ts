/** Payments by their customer and by reference: in PostgreSQL by indexes, in memory by the same rules. */
import type { SqlClient, Statement } from "@effect/sql"
import { Option } from "effect"
import { inScope, newest, ownedIn, type Scope, type Window } from "../../platform/database/Query.ts"
import type { CountryCode } from "../../domain/Country.ts"
import { mobileMoneyCountries } from "../../domain/MobileNetwork.ts"
import { numbersInFull } from "../../domain/PhoneNumber.ts"
import type { Payment } from "./Payment.ts"
import type { PaymentId } from "../../domain/Ids.ts"

/** Finds payments by phone number or e-mail address of payer or recipient, in any notation. */
const digitsOf = (text: string): string => text.replace(/\D/g, "")

const isEmail = (text: string): boolean => text.includes("@")

const textIn = (details: Readonly<Record<string, unknown>>, field: string): string => {
  const value = details[field]
  return typeof value === "string" ? value : ""
}

const emailsOf = ({ payer_details, recipient_info }: Payment) => [
  textIn(payer_details, "email"),
  textIn(recipient_info, "email")
]

const phonesOf = ({ mobile_money_details, payer_details, recipient_info }: Payment) => [
  textIn(payer_details, "phone"),
  textIn(mobile_money_details, "phone_number"),
  textIn(recipient_info, "phone_number")
]

/**
 * Phone number as written, and in full for each country where it may be from. Only within an organisation, whose home
 * is known: over all organisations there would be too many look-ups.
 */
const numbersOf = (text: string, home: CountryCode | undefined): ReadonlyArray<string> => {
  const countries = home === undefined ? [] : new Set([...mobileMoneyCountries, home])
  const numbers = [text, ...numbersInFull(text, countries)].map(digitsOf)
  return Array.from(new Set(numbers)).filter((digits) => digits !== "")
}

export const isOfCustomer = (text: string, home: CountryCode | undefined, payment: Payment): boolean => {
  if (isEmail(text)) return emailsOf(payment).some((email) => email.toLowerCase() === text.toLowerCase())
  const numbers = numbersOf(text, home)
  return phonesOf(payment).some((phone) => numbers.includes(digitsOf(phone)))
}

/** An index of payments by whom they are from or to: what it holds, and of which payments. */
interface Look {
  readonly holds: string
  readonly where: string
}

const PAYER_EMAIL = "payer_details->>'email'"
const RECIPIENT_EMAIL = "recipient_info->>'email'"
const PAYER_PHONE = "payer_details->>'phone'"
const WALLET_PHONE = "mobile_money_details->>'phone_number'"
const RECIPIENT_PHONE = "recipient_info->>'phone_number'"

/** The first of several, where there is one. */
const first = (...texts: ReadonlyArray<string>): Look => {
  const holds = `coalesce(${texts.join(", ")})`
  return { holds, where: `${holds} is not null` }
}

const byEmail: ReadonlyArray<Look> = [
  first(PAYER_EMAIL, RECIPIENT_EMAIL),
  { holds: RECIPIENT_EMAIL, where: `${PAYER_EMAIL} <> ${RECIPIENT_EMAIL}` }
]

const byPhone: ReadonlyArray<Look> = [
  first(PAYER_PHONE, WALLET_PHONE, RECIPIENT_PHONE),
  { holds: WALLET_PHONE, where: `${PAYER_PHONE} <> ${WALLET_PHONE}` },
  { holds: RECIPIENT_PHONE, where: `coalesce(${PAYER_PHONE}, ${WALLET_PHONE}) <> ${RECIPIENT_PHONE}` }
]

/** Compares the values, since the indexes hold hashes, which can collide. */
const bare = (email: boolean): string => (email ? "lower(held)" : "regexp_replace(held, '\\D', '', 'g')")

/**
 * Within the window, the newest of each index: as many as it takes, or as many as are looked at for what else is asked.
 * What is sure to hold stands outside: beside the hash it would make the customer look rarer than they are.
 */
export const idsOfCustomer = (
  sql: SqlClient.SqlClient,
  scope: Scope,
  { customer: text, home }: { readonly customer: string; readonly home?: CountryCode | undefined },
  window: Window,
  between: ReadonlyArray<Statement.Fragment>
): Statement.Fragment => {
  const email = isEmail(text)
  const asked = email ? [text.toLowerCase()] : numbersOf(text, home)
  if (asked.length === 0) return sql`select null::uuid where false`
  const kind = email ? "email" : "phone"
  const isTheirs = (holds: string, one: string) =>
    Option.match(scope, {
      onNone: () => sql`${sql.literal(`anyones_${kind}(${holds})`)} = ${sql.literal(`anyones_${kind}`)}(${one})`,
      onSome: (orgId) =>
        sql`${sql.literal(`customer_${kind}(org_id, ${holds})`)} = ${sql.literal(`customer_${kind}`)}(${orgId}, ${one})`
    })
  const looks = asked.flatMap((one) =>
    (email ? byEmail : byPhone).map(({ holds, where }) => {
      const found = sql.and([isTheirs(holds, one), sql.literal(where), ...between])
      return sql`(select payment_id, org_id, ${sql.literal(holds)} as held, ${one}::text as asked from payments
        where ${found} ${newest(sql, "payment_id", window)})`
    })
  )
  const union = looks.reduce((all, one) => sql`${all} union all ${one}`)
  return sql`select n.payment_id from (${union}) n where ${inScope(sql, scope)} and ${sql.literal(bare(email))} = n.asked`
}

/**
 * Reference of a payment outside: the caller's own, the first characters of its id, or the provider's id. The first 8
 * characters are only its time; the first 23 are unique. A search finds the payment by all or part of it.
 */
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
export const hasReference = (
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

/** Number of newest payments that a shared reference finds. */
const MOST = 100

/** One look into an index for each thing that the text may be; the answer is so short that the rest is cheap. */
export const idsByReference = (sql: SqlClient.SqlClient, scope: Scope, text: string): Statement.Fragment => {
  const mine = inScope(sql, scope)
  const named = sql`(select payment_id from payments where ${mine} and client_reference = ${text}
      order by created_at desc limit ${MOST})
    union (select payment_id from attempts where ${ownedIn(sql, scope)} and provider_payment_id = ${text} limit ${MOST})`
  return Option.match(idsBeginning(text), {
    onNone: () => named,
    onSome: ({ from, to }) => sql`(select payment_id from payments where ${mine}
        and payment_id between ${from}::uuid and ${to}::uuid order by payment_id desc limit ${MOST})
      union (select payment_id from payments where ${mine}
        and transaction_id between ${from}::uuid and ${to}::uuid order by transaction_id desc limit ${MOST})
      union ${named}`
  })
}
