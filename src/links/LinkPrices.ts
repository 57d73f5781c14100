/** Prices of links at rates that are locked: for showing them, and for charging what was shown. */
import { Effect, Either, Option } from "effect"
import { checkLocked } from "../domain/LockedRate.ts"
import type { Money } from "../domain/Money.ts"
import { RateQuote } from "../rates/RateQuote.ts"
import { Rates } from "../rates/Rates.ts"
import type { LinkOrder } from "./LinkVisit.ts"
import { type PaymentLink, permitOf } from "./PaymentLink.ts"
import { priceOfPaying, priceOfReceiving, samePrice } from "./Price.ts"

export const makeLinkPrices = Effect.gen(function* () {
  const rates = yield* Rates
  const quote = yield* RateQuote

  const lockFor = (link: PaymentLink) =>
    Effect.option(rates.lookUp(permitOf(link), { from: link.payer_currency, to: link.currency, amount: Option.none() }))

  const isConverted = ({ currency, payer_currency }: PaymentLink): boolean => currency !== payer_currency

  const receiving = Effect.fnUntraced(function* (link: PaymentLink, wanted: Money) {
    if (!isConverted(link)) return Option.some(samePrice(wanted))
    const { currency, payer_currency } = link
    return Option.map(yield* lockFor(link), (locked) => priceOfReceiving(wanted, currency, payer_currency, locked))
  })

  const paying = Effect.fnUntraced(function* (link: PaymentLink, chosen: Money) {
    if (!isConverted(link)) return Option.some(samePrice(chosen))
    return Option.map(yield* lockFor(link), (locked) => priceOfPaying(chosen, link.currency, locked))
  })

  const asShown = Effect.fnUntraced(function* (link: PaymentLink, wanted: Money, orgRateId: string | null) {
    if (!isConverted(link)) return Option.some(samePrice(wanted))
    const lock = orgRateId === null ? Option.none() : yield* quote.locked(link.org_id, orgRateId)
    if (orgRateId === null || Option.isNone(lock)) return Option.none()
    const locked = { orgRateId, rate: lock.value.rate }
    const price = priceOfReceiving(wanted, link.currency, link.payer_currency, locked)
    const checked = checkLocked(lock.value, link.payer_currency, link.currency)
    return Either.isRight(checked) ? Option.some(price) : Option.none()
  })

  return {
    /** Locks a rate where one is needed. None when nobody knows what the payer's currency is worth at the moment. */
    receiving,
    /** What was shown, or chosen. None when it does not hold any more: another price must be shown first. */
    agreed: (link: PaymentLink, { chosen, orgRateId }: LinkOrder) => {
      if (link.amount_type === "open") return chosen === null ? Effect.succeedNone : paying(link, chosen)
      return link.amount === null ? Effect.succeedNone : asShown(link, link.amount, orgRateId)
    }
  }
})
