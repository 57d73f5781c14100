import { BigDecimal, Effect, Either, Option } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import { RATE_PROPOSED, type RatesApi } from "../../contract/api/RatesApi.ts"
import { type AnyCurrencyCode, isAnyCurrencyCode, isCryptoAssetCode } from "../../domain/Currency.ts"
import { NotFound } from "../../domain/Failure.ts"
import type { Money } from "../../domain/Money.ts"
import { fromDecimal } from "../../domain/Exchange.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { Rates } from "./Rates.ts"

/** An asset of 18 digits would be all zeros at the end. */
const shown = (money: Money): BigDecimal.BigDecimal =>
  isCryptoAssetCode(money.currency) ? BigDecimal.normalize(money.toDecimal()) : money.toDecimal()

const currencyOf = (code: string): Either.Either<AnyCurrencyCode, NotFound> =>
  isAnyCurrencyCode(code)
    ? Either.right(code)
    : Either.left(new NotFound({ message: `There is no rate for ${code}: it is no currency or asset that we know.` }))

export const ratesHandlers = Effect.gen(function* () {
  const rates = yield* Rates
  const handlers: Handlers<typeof RatesApi> = {
    lookup: Effect.fnUntraced(function* ({ permit, urlParams }) {
      const from = yield* currencyOf(urlParams.fromCurrency)
      const to = yield* currencyOf(urlParams.toCurrency)
      const found = yield* rates.lookUp(permit, { from, to, amount: Option.fromNullable(urlParams.amount) })
      return success("Exchange rate, locked until expires_at", {
        org_rate_id: found.orgRateId,
        from_currency: from,
        to_currency: to,
        rate: found.rate,
        amount: Option.getOrNull(Option.map(found.amount, shown)),
        target_amount: Option.getOrNull(Option.map(found.target, shown)),
        expires_at: found.expiresAt,
        created_at: found.createdAt
      })
    }),
    set: Effect.fn("RatesHttp.set")(function* ({ payload, permit }) {
      const { from_currency, to_currency } = payload
      const rate = yield* Effect.orDie(fromDecimal(payload.rate))
      const changed = yield* rates.set(permit, { from: from_currency, to: to_currency, rate })
      const { previous_rate, status } = changed
      return success(status === "set" ? "Exchange rate set" : RATE_PROPOSED, {
        from_currency,
        to_currency,
        rate,
        status,
        previous_rate: previous_rate === null ? null : BigDecimal.unsafeFromString(previous_rate),
        updated_at: changed.status === "set" ? changed.updated_at : changed.proposed_at
      })
    })
  }
  return handlers
})
