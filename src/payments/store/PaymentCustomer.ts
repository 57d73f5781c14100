/** Finding payments by whoever pays or is paid: by phone number or e-mail address, however either was written. */
import type { SqlClient } from "@effect/sql"
import { inScope, type Scope } from "../../platform/database/Query.ts"
import type { Payment } from "./Payment.ts"

/** No index is kept for what people look up now and then: this many of the newest payments are read instead. */
const LOOKED_AT = 20_000

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

export const isOfCustomer = (text: string, payment: Payment): boolean =>
  isEmail(text)
    ? emailsOf(payment).some((email) => email.toLowerCase() === text.toLowerCase())
    : digitsOf(text) !== "" && phonesOf(payment).some((phone) => digitsOf(phone) === digitsOf(text))

export const ofCustomer = (sql: SqlClient.SqlClient, scope: Scope, text: string) => {
  const found = isEmail(text)
    ? sql`lower(${text}) in (lower(payer_details->>'email'), lower(recipient_info->>'email'))`
    : sql`${digitsOf(text)} <> '' and ${digitsOf(text)} in (
        regexp_replace(payer_details->>'phone', '\\D', '', 'g'),
        regexp_replace(mobile_money_details->>'phone_number', '\\D', '', 'g'),
        regexp_replace(recipient_info->>'phone_number', '\\D', '', 'g')
      )`
  return sql`payment_id = any (array(
    select payment_id from (
      select payment_id, payer_details, mobile_money_details, recipient_info from payments
      where ${inScope(sql, scope)} order by created_at desc, payment_id desc limit ${LOOKED_AT}
    ) newest where ${found}
  ))`
}
