/** Schemas and amounts that all of PayPal's answers share. */
import { Option, Schema, Either } from "effect"
import type { Money } from "../../domain/Money.ts"
import { Declined } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { majorText, minorText, moneyOfMajor, optionalText } from "../client/WireValues.ts"
import { Check } from "../port/Callback.ts"
import { credentialsRefused, isMade } from "../client/ProviderReplies.ts"
import type { Granted } from "../client/AccessTokens.ts"

export const Amount = Schema.Struct({ currency_code: Schema.String, value: Schema.String })

export const Payee = Schema.Struct({ email_address: optionalText, merchant_id: optionalText })
export type Payee = typeof Payee.Type

/** Whether both are one account; undefined where they do not say enough to compare them. */
export const isSamePayee = (own: Payee | undefined, other: Payee | undefined): boolean | undefined => {
  if (own?.merchant_id !== undefined && other?.merchant_id !== undefined) return own.merchant_id === other.merchant_id
  if (own?.email_address === undefined || other?.email_address === undefined) return undefined
  return own.email_address.toLowerCase() === other.email_address.toLowerCase()
}

export const moneyOf = (
  amount: { readonly value: string } | undefined,
  currency: string | undefined
): Money | undefined => Option.getOrUndefined(moneyOfMajor(amount?.value, currency))

/** Currencies that PayPal takes whole, whatever ISO 4217 says of them. */
const takenWhole: ReadonlySet<string> = new Set(["HUF", "JPY", "TWD"])

/** None for an amount that PayPal cannot represent exactly. */
export const paypalText = (money: Money): Option.Option<string> =>
  takenWhole.has(money.currency) ? minorText(money, 0) : Option.some(majorText(money))

/** Those that accounts of every country hold; BRL, CNY and MYR are for accounts of their own countries alone. */
export const paypalCurrencies =
  "AUD CAD CHF CZK DKK EUR GBP HKD HUF ILS JPY MXN NOK NZD PHP PLN SEK SGD THB TWD USD".split(" ")

const readToken = Schema.decodeUnknownOption(
  Schema.Struct({ access_token: Schema.String, expires_in: Schema.NumberFromString })
)

export const tokenGranted = (reply: ProviderReply): Either.Either<Granted, Declined> => {
  if (reply.status === 401 || reply.status === 403) return Either.left(credentialsRefused(reply))
  const token = Option.filter(readToken(reply.json), () => isMade(reply))
  return Either.fromOption(
    Option.map(token, ({ access_token, expires_in }) => ({ token: access_token, expiresInSeconds: expires_in })),
    () =>
      new Declined({
        reason: `HTTP ${reply.status}: it gave no access token`,
        code: reply.status === 429 ? "PROVIDER_BUSY" : "PROVIDER_UNAVAILABLE",
        providerCode: `${reply.status}`
      })
  )
}

const readVerification = Schema.decodeUnknownOption(Schema.Struct({ verification_status: Schema.String }))

/** None where the answer is not about the callback, such as an error of our own account. */
export const verification = (reply: ProviderReply): Option.Option<Check<"vendor">> => {
  // PayPal did not send a callback that it cannot parse.
  if (reply.status === 400 || reply.status === 422) return Option.some(Check.failed)
  return Option.map(readVerification(isMade(reply) ? reply.json : undefined), ({ verification_status: status }) =>
    Check.confirmed("SUCCESS", status)
  )
}
