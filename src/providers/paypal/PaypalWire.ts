/** What all answers of PayPal have in common. */
import { Option, Schema } from "effect"
import type { Money } from "../../domain/Money.ts"
import { Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { moneyOfMajor } from "../port/WireAmount.ts"

/** Nothing and null are the same. */
export const text = Schema.optionalWith(Schema.String, { nullable: true })

export const moneyOf = (
  amount: { readonly value: string } | undefined,
  currency: string | undefined
): Money | undefined =>
  amount === undefined || currency === undefined
    ? undefined
    : Option.getOrUndefined(moneyOfMajor(amount.value, currency))

export const amounts = (received: Money | undefined, fee: Money | undefined) => ({
  ...(received === undefined ? {} : { received }),
  ...(fee === undefined ? {} : { fee })
})

export const isFine = ({ status }: ProviderReply): boolean => status === 200 || status === 201

export const nothingRead = new Unknown({ reason: "its answer cannot be read" })
