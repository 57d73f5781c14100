/** Prices of links: shown at the live rate, charged at a locked rate if the shown price is still valid. */
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import type { Money } from "../../domain/Money.ts"
import { RateQuote } from "../../money/rates/RateQuote.ts"
import { Rates } from "../../money/rates/Rates.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import { type PaymentLink, linkPermit } from "./LinkStore.ts"
import { catchRefusal, type Stored } from "../../platform/database/DatabaseFailure.ts"
import type { CurrencyCode } from "../../domain/Currency.ts"
import { given, taken, type Rate } from "../../domain/Exchange.ts"
import { isSame } from "../../providers/port/Callback.ts"

/** Price of a link. Both amounts agree at the rate, which is locked if there is an id. */
export interface Price {
  readonly pays: Money
  readonly receives: Money
  readonly orgRateId: string | null
  /** From the payer's currency to the organisation's; null if they are the same. */
  readonly rate: Rate | null
}

const samePrice = (money: Money): Price => ({ pays: money, receives: money, orgRateId: null, rate: null })

interface Quoted {
  readonly orgRateId: string | null
  /** From the payer's currency to the organisation's. */
  readonly rate: Rate
}

/** Rounds the received amount down. */
export const priceOfPaying = (pays: Money, currency: CurrencyCode, { orgRateId, rate }: Quoted): Price => ({
  pays,
  receives: given(pays, { from: pays.currency, to: currency, rate }),
  orgRateId,
  rate
})

/** The smallest payment that is worth the wanted amount. Rounding may give the organisation slightly more. */
export const priceOfReceiving = (wanted: Money, currency: CurrencyCode, payer: CurrencyCode, quoted: Quoted): Price =>
  priceOfPaying(taken(wanted, { from: payer, to: currency, rate: quoted.rate }), currency, quoted)

/** A MAC in the form that proves which price was shown, and until when it is valid. */
type SealMac = (text: string) => string

const textOf = (money: Money): string => `${money.toNumericText()} ${money.currency}`

const macOf = ({ link_id }: PaymentLink, { pays, receives }: Price, expires: string, mac: SealMac): string =>
  mac(JSON.stringify([link_id, textOf(pays), textOf(receives), expires]))

const sealPrice = (link: PaymentLink, price: Price, expires: number, mac: SealMac): string => {
  const at = String(expires)
  return `${at}.${macOf(link, price, at, mac)}`
}

/** True if this price was shown for this link and has not expired. */
const isValidSeal = (seal: string, link: PaymentLink, price: Price, now: number, mac: SealMac): boolean => {
  const [, expires, given] = /^(\d{1,15})\.([0-9a-f]+)$/.exec(seal) ?? []
  if (expires === undefined || given === undefined || Number(expires) <= now) return false
  return isSame(macOf(link, price, expires, mac), given)
}

const isConverted = ({ currency, payer_currency }: PaymentLink): boolean => currency !== payer_currency

const isSamePrice = (one: Price, other: Price): boolean =>
  one.pays.minor === other.pays.minor && one.receives.minor === other.receives.minor

/** Fields of the submitted form that decide the price. */
interface PriceChoice {
  /** The amount that the payer chose on an open link. */
  readonly chosen: Money | null
  readonly seal: string | null
}

interface SealedPrice {
  readonly seal: string
  readonly until: Date
}

export class LinkPrices extends Context.Tag("corridor/LinkPrices")<
  LinkPrices,
  {
    /** Price for an amount received; none without a rate for the payer's currency. */
    readonly receiving: (link: PaymentLink, wanted: Money) => Stored<Option.Option<Price>>
    /** Null if no exchange rate is involved. */
    readonly seal: (link: PaymentLink, price: Price) => Stored<SealedPrice | null>
    /** The shown or chosen price, with its rate locked. None: no longer valid, so a new price must be shown first. */
    readonly agreed: (link: PaymentLink, choice: PriceChoice) => Stored<Option.Option<Price>>
  }
>() {
  static readonly layer = Layer.effect(
    LinkPrices,
    Effect.gen(function* () {
      const rates = yield* Rates
      const quote = yield* RateQuote
      const vault = yield* Vault
      const { rateLockTtl } = yield* Settings

      const mac = (text: string): string => vault.hmac(text, "link price")

      const lockFor = (link: PaymentLink, pays: Money) =>
        rates
          .lookUp(linkPermit(link), {
            from: link.payer_currency,
            to: link.currency,
            amount: Option.some(pays.toDecimal())
          })
          .pipe(
            Effect.asSome,
            catchRefusal(() => Effect.succeedNone)
          )

      const liveFor = ({ currency, org_id, payer_currency }: PaymentLink) =>
        Effect.map(
          catchRefusal(quote.live(org_id, payer_currency, currency), () => Effect.succeedNone),
          (found) => Option.map(found, (rate) => ({ rate, orgRateId: null }))
        )

      const receivingAt = (link: PaymentLink, wanted: Money, at: Parameters<typeof priceOfReceiving>[3]) =>
        priceOfReceiving(wanted, link.currency, link.payer_currency, at)

      const receiving = Effect.fnUntraced(function* (link: PaymentLink, wanted: Money) {
        if (!isConverted(link)) return Option.some(samePrice(wanted))
        return Option.map(yield* liveFor(link), (live) => receivingAt(link, wanted, live))
      })

      const paying = Effect.fnUntraced(function* (link: PaymentLink, chosen: Money) {
        if (!isConverted(link)) return Option.some(samePrice(chosen))
        return Option.map(yield* lockFor(link, chosen), (locked) => priceOfPaying(chosen, link.currency, locked))
      })

      const asShown = Effect.fnUntraced(function* (link: PaymentLink, wanted: Money, seal: string | null) {
        if (!isConverted(link)) return Option.some(samePrice(wanted))
        const now = yield* Clock.currentTimeMillis
        const shown = Option.filter(
          yield* receiving(link, wanted),
          (price) => seal !== null && isValidSeal(seal, link, price, now, mac)
        )
        if (Option.isNone(shown)) return Option.none()
        // The rate may have changed since it was read.
        const locked = Option.map(yield* lockFor(link, shown.value.pays), (lock) => receivingAt(link, wanted, lock))
        return Option.filter(locked, (price) => isSamePrice(price, shown.value))
      })

      return {
        receiving,
        seal: Effect.fnUntraced(function* (link, price) {
          if (!isConverted(link) || link.amount_type === "open") return null
          const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(rateLockTtl)
          return { seal: sealPrice(link, price, until, mac), until: new Date(until) }
        }),
        agreed: (link, { chosen, seal }) => {
          if (link.amount_type === "open") return chosen === null ? Effect.succeedNone : paying(link, chosen)
          return link.amount === null ? Effect.succeedNone : asShown(link, link.amount, seal)
        }
      }
    })
  )
}
