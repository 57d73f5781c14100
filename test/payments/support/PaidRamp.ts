/** An on-ramp over HTTP whose customer has paid: stripe collects, others settle. */
import { Effect } from "effect"
import type { PaymentId } from "../../../src/domain/Identifiers.ts"
import { moneyOf } from "../../../src/platform/database/StoredMoney.ts"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Report } from "../../../src/domain/Outcome.ts"
import { people } from "../../support/Credentials.ts"
import { post } from "../../support/Send.ts"
import { attemptsOf, callBack, get, jsonOf } from "./Calls.ts"
import { serveCountry } from "./PaymentServer.ts"
import { accepts, type Scripted } from "./ScriptedProvider.ts"

const WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"

/** Of 13,000 shillings, stripe has received this much. */
export const paidRamp = (
  stripe: Scripted,
  country: string,
  received: string,
  settlers: ReadonlyArray<ProviderName> = ["circle"]
) =>
  Effect.gen(function* () {
    yield* serveCountry(country, ["stripe"], "bank_transfer", "inbound")
    yield* serveCountry(country, settlers, "crypto", "outbound")
    stripe.otherwise(() => Effect.succeed(accepts({ state: "pending", nextAction: "bank_transfer" })))
    const { acme } = yield* people
    const rate = yield* get("/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USDT")
    const { data } = jsonOf(rate) as { readonly data: { readonly rate: number } }
    const answer = yield* post(
      "/v1/payments-init/ramp",
      { ...acme.key },
      {
        fiat_currency: "KES",
        fiat_amount: 13000,
        client_rate: data.rate,
        crypto_currency: "USDT",
        crypto_network: "POLYGON",
        country,
        wallet_address: WALLET,
        bank_details: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" }
      }
    )
    const { response } = jsonOf(answer) as { readonly response: { readonly payment_id: PaymentId } }
    const { payment_id } = response
    const [collection] = yield* attemptsOf(payment_id)
    const reference = String(collection?.["attempt_id"])
    const paid = { state: "completed", reason: null, providerPaymentId: null, providerStatus: "paid" } as const
    stripe.says(reference, new Report({ ...paid, received: moneyOf(received, CurrencyCode.make("KES")) }))
    yield* callBack("stripe", { key: `${country} paid`, reference, state: null })
    return { payment_id, reference }
  })
