/** What Stripe tells of the account: its name, mode and balances, and whether it may charge and pay out. */
import { Effect, Schema } from "effect"
import { accountTest, alsoTold, balanceText } from "../port/AccountTest.ts"
import { type CallFailed, get, type ProviderCall, type ProviderReply } from "../client/ProviderHttp.ts"
import { optional, optionalText, objectReader } from "../client/WireValues.ts"
import { moneyIn } from "./StripeRequests.ts"

const readList = Schema.decodeUnknownEither(Schema.Struct({ data: Schema.Array(Schema.Unknown) }))

const readAccount = objectReader({
  id: Schema.String,
  business_profile: optional(Schema.Struct({ name: optionalText })),
  settings: optional(Schema.Struct({ dashboard: optional(Schema.Struct({ display_name: optionalText })) })),
  charges_enabled: optional(Schema.Boolean),
  payouts_enabled: optional(Schema.Boolean)
})

const readBalance = objectReader({
  livemode: Schema.Boolean,
  available: Schema.Array(Schema.Struct({ amount: Schema.String, currency: Schema.String }))
})

/** A restricted key may lack the rights to read account and balance, and Stripe tells no rights of a key. */
export const stripeTest = (call: (call: ProviderCall) => Effect.Effect<ProviderReply, CallFailed>) =>
  accountTest(call(get("test", "/v1/payment_intents?limit=1")), "the key", readList, () =>
    Effect.gen(function* () {
      const account = yield* alsoTold(call(get("read account", "/v1/account")), readAccount)
      const balance = yield* alsoTold(call(get("read balance", "/v1/balance")), readBalance)
      const title = account?.settings?.dashboard?.display_name ?? account?.business_profile?.name ?? ""
      return {
        ...(account === undefined
          ? {}
          : {
              name: `${title} ${account.id}`.trim(),
              rights: [
                ...(account.charges_enabled === true ? ["charges"] : []),
                ...(account.payouts_enabled === true ? ["payouts"] : [])
              ]
            }),
        ...(balance === undefined
          ? {}
          : {
              mode: balance.livemode ? ("live" as const) : ("test" as const),
              balances: balance.available.map(({ amount, currency }) =>
                balanceText(moneyIn(amount, currency), amount, currency)
              )
            })
      }
    })
  )
