/** What all answers of PayPal have in common. */
import { Option, Schema } from "effect"
import type { Money } from "../../domain/Money.ts"
import { Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { moneyOfMajor } from "../port/WireValues.ts"

/** Nothing and null are the same. */
export const text = Schema.optionalWith(Schema.String, { nullable: true })

export const Amount = Schema.Struct({ currency_code: Schema.String, value: Schema.String })

export const Payee = Schema.Struct({ email_address: text, merchant_id: text })
export type Payee = typeof Payee.Type

/** Whether both are one account; undefined where they do not say enough to compare them. */
export const isSamePayee = (own: Payee | undefined, told: Payee | undefined): boolean | undefined => {
  if (own?.merchant_id !== undefined && told?.merchant_id !== undefined) return own.merchant_id === told.merchant_id
  if (own?.email_address === undefined || told?.email_address === undefined) return undefined
  return own.email_address.toLowerCase() === told.email_address.toLowerCase()
}

export const moneyOf = (
  amount: { readonly value: string } | undefined,
  currency: string | undefined
): Money | undefined =>
  amount === undefined || currency === undefined
    ? undefined
    : Option.getOrUndefined(moneyOfMajor(amount.value, currency))

export const feeIn = (fee: Money | undefined) => (fee === undefined ? {} : { fee })

export const isFine = ({ status }: ProviderReply): boolean => status === 200 || status === 201

export const nothingRead = new Unknown({ reason: "its answer cannot be read" })
