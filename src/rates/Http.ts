import { BigDecimal, Effect, Option } from "effect"
import { success } from "../api/Envelope.ts"
import type { RatesApi } from "../api/Rates.ts"
import { isCryptoAssetCode } from "../domain/CryptoAsset.ts"
import type { Money } from "../domain/Money.ts"
import { fromDecimal } from "../domain/Rate.ts"
import type { Handlers } from "../http/Handlers.ts"
import { Rates } from "./Rates.ts"

/** An asset of 18 digits would be all zeros at the end. */
const shown = (money: Money): BigDecimal.BigDecimal =>
  isCryptoAssetCode(money.currency) ? BigDecimal.normalize(money.toDecimal()) : money.toDecimal()

export const ratesHandlers = Effect.gen(function* () {
  const rates = yield* Rates
  const handlers: Handlers<typeof RatesApi> = {
    lookup: ({ permit, urlParams }) =>
      Effect.map(
        rates.lookUp(permit, {
          from: urlParams.fromCurrency,
          to: urlParams.toCurrency,
          amount: Option.fromNullable(urlParams.amount)
        }),
        ({ amount, createdAt, expiresAt, from, orgRateId, rate, target, to }) =>
          success("Exchange rate, locked until expires_at", {
            org_rate_id: orgRateId,
            from_currency: from,
            to_currency: to,
            rate,
            amount: Option.getOrNull(Option.map(amount, shown)),
            target_amount: Option.getOrNull(Option.map(target, shown)),
            expires_at: expiresAt,
            created_at: createdAt
          })
      ),
    set: Effect.fn("RatesHttp.set")(function* ({ payload, permit }) {
      const { from_currency, to_currency } = payload
      const rate = yield* Effect.orDie(fromDecimal(payload.rate))
      const { updated_at } = yield* rates.set(permit, { from: from_currency, to: to_currency, rate })
      return success("Exchange rate set", { from_currency, to_currency, rate, updated_at })
    })
  }
  return handlers
})
