/** Rates as people handle them: operators set base rates, every change audited; organisations look them up, and lock them. */
import { BigDecimal, Context, Effect, Either, Layer, Option, ParseResult, Schema } from "effect"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { AnyCurrencyCode, isCryptoAssetCode } from "../../domain/CryptoAsset.ts"
import { fromPlainText, toPlainText } from "../../domain/Decimal.ts"
import { type Exchange, expected, given } from "../../domain/Exchange.ts"
import { Invalid, NotFound } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { fromDecimal, Rate } from "../../domain/Rate.ts"
import { type NewLock, RateQuote } from "./RateQuote.ts"
import { RateStore, type StoredRate } from "./RateStore.ts"

/** A rate as a person types it; its digits never pass through a float. */
export const RateFromText = Schema.transformOrFail(Schema.String, Rate, {
  strict: true,
  decode: (text, _, ast) =>
    Either.fromOption(fromPlainText(text), () => "is not a decimal number such as 129.35").pipe(
      Either.flatMap(fromDecimal),
      Either.mapLeft((why) => new ParseResult.Type(ast, text, why))
    ),
  encode: (rate) => ParseResult.succeed(toPlainText(BigDecimal.normalize(rate)))
})

/** One unit of `from` is worth `rate` units of `to`. */
export const WantedRate = Schema.Struct({ from: AnyCurrencyCode, to: AnyCurrencyCode, rate: RateFromText })

export interface AskedRate {
  readonly from: AnyCurrencyCode
  readonly to: AnyCurrencyCode
  readonly amount: Option.Option<BigDecimal.BigDecimal>
}

export interface LookedUpRate extends NewLock {
  readonly amount: Option.Option<Money>
  readonly target: Option.Option<Money>
}

/** What whoever uses the rate gets: by a ramp what the service gives, by a payment what its caller must send. */
const targetOf = (amount: Money, exchange: Exchange): Money =>
  isCryptoAssetCode(exchange.from) || isCryptoAssetCode(exchange.to)
    ? given(amount, exchange)
    : expected(amount, exchange)

export class Rates extends Context.Tag("corridor/Rates")<
  Rates,
  {
    readonly set: (
      permit: Permit<"platform">,
      wanted: typeof WantedRate.Type
    ) => Effect.Effect<StoredRate & { readonly previous_rate: string | null }, Invalid>
    readonly list: (permit: Permit<"platform">) => Effect.Effect<ReadonlyArray<StoredRate>>
    readonly lookUp: (permit: Permit<"any">, asked: AskedRate) => Effect.Effect<LookedUpRate, Invalid | NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Rates,
    Effect.gen(function* () {
      const store = yield* RateStore
      const quote = yield* RateQuote
      const audit = yield* AuditLog
      const { rateLockTtl } = yield* Settings
      const { atomically } = yield* Transactor

      return {
        set: Effect.fn("Rates.set")(function* (permit, { from, rate, to }) {
          if (from === to) return yield* new Invalid({ message: "to: is the same currency as from." })
          const text = toPlainText(BigDecimal.normalize(rate))
          return yield* atomically(
            Effect.gen(function* () {
              const before = yield* store.findForUpdate(from, to)
              const previous_rate = Option.getOrNull(Option.map(before, (old) => old.rate))
              yield* store.set([{ from_currency: from, to_currency: to, rate: text }])
              yield* audit.record(permit, {
                action: "rate.set",
                org: null,
                subject: ["rate", `${from}/${to}`],
                detail: { old: previous_rate, new: text }
              })
              const now = yield* Effect.flatMap(store.findForUpdate(from, to), Effect.orDie)
              return { ...now, previous_rate }
            })
          )
        }),
        list: () => store.list,
        lookUp: Effect.fn("Rates.lookUp")(function* (permit, { amount, from, to }) {
          const org = Option.getOrUndefined(permit.scope)
          if (org === undefined) {
            return yield* new Invalid({ message: "org_id: say which organisation the rate is for." })
          }
          const money = yield* Effect.transposeMapOption(amount, (d) =>
            Either.mapLeft(Money.fromDecimal(d, from), (why) => new Invalid({ message: `amount: ${why}.` }))
          )
          const live = yield* Effect.mapError(quote.live(org, from, to), ({ message }) => new NotFound({ message }))
          if (Option.isNone(live)) return yield* new NotFound({ message: `There is no rate from ${from} to ${to}.` })
          const locked = yield* quote.lock(
            org,
            { from, to, rate: live.value },
            { ttl: rateLockTtl, amount: Option.getOrNull(amount) }
          )
          const target = Option.map(money, (one) => targetOf(one, locked))
          return { ...locked, amount: money, target }
        })
      }
    })
  )
}
