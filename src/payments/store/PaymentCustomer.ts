/** Finding payments by whoever pays or is paid: by phone number or e-mail address, however either was written. */
import type { SqlClient, Statement } from "@effect/sql"
import { Option } from "effect"
import type { CountryCode } from "../../domain/Country.ts"
import { mobileMoneyCountries } from "../../domain/MobileNetwork.ts"
import { numbersInFull } from "../../domain/PhoneNumber.ts"
import { inScope, newest, type Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Payment } from "./Payment.ts"

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
 * As it was written, and in full wherever it may be from, within the organisation whose home is known: in all of them
 * together there would be as many looks for each.
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

/** The indexes hold hashes, which may be those of somebody else. */
const bare = (email: boolean): string => (email ? "lower(held)" : "regexp_replace(held, '\\D', '', 'g')")

/**
 * Within the window, the newest of each index: as many as it takes, or as many as are looked at for what else is asked.
 * What is sure to hold stands outside: beside the hash it would make the customer look rarer than they are.
 */
export const ofCustomer = (
  sql: SqlClient.SqlClient,
  scope: Scope,
  { customer: text, home }: { readonly customer: string; readonly home?: CountryCode | undefined },
  window: Window,
  between: ReadonlyArray<Statement.Fragment>
): Statement.Fragment => {
  const email = isEmail(text)
  const asked = email ? [text.toLowerCase()] : numbersOf(text, home)
  if (asked.length === 0) return sql`false`
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
  return sql`payment_id = any (array(
    select n.payment_id from (${union}) n where ${inScope(sql, scope)} and ${sql.literal(bare(email))} = n.asked
  ))`
}
