/** Operators set base rates, with an audit entry for each change; organisations look rates up and lock them. */
import { BigDecimal, Context, Effect, Either, Layer, Option, ParseResult, Schema } from "effect"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import { mapRefusal } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { organizationOf, type Permit, personOf } from "../../domain/Access.ts"
import { AnyCurrencyCode, isCryptoAssetCode, isAnyCurrencyCode } from "../../domain/Currency.ts"
import { fromPlainText, toPlainText } from "../../domain/Decimal.ts"
import { type Exchange, expected, given, fromDecimal, invert, jumps, Rate } from "../../domain/Exchange.ts"
import { Invalid, NotFound } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { RateQuote } from "./RateQuote.ts"
import {
  manualOrigin,
  type RateFetch,
  type RateProposal,
  RateStore,
  sourceOfProposer,
  type StoredRate
} from "./RateStore.ts"
import { success } from "../../contract/api/Envelope.ts"
import { RATE_PROPOSED, type RatesApi } from "../../contract/api/RatesApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { traced } from "../../platform/observability/Spans.ts"
import { extend } from "../../domain/Merge.ts"

/** A rate as a person types it; its digits never pass through a float. */
const RateFromText = Schema.transformOrFail(Schema.String, Rate, {
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

const rateOf = (text: string): Rate => Rate.make(BigDecimal.unsafeFromString(text))

interface AskedRate {
  readonly from: AnyCurrencyCode
  readonly to: AnyCurrencyCode
  readonly amount: Option.Option<BigDecimal.BigDecimal>
}

interface ListedRates {
  readonly rates: ReadonlyArray<StoredRate>
  readonly proposals: ReadonlyArray<RateProposal & { readonly source: string }>
  /** Those of RATE_SOURCE that are fetched, highest priority first. */
  readonly sources: ReadonlyArray<RateFetch>
}

const neverFetched = { fetched_at: null, published_at: null, failures: 0, last_error: null }

/** Target amount at the rate: for a ramp what the service gives, for a payment what its caller must send. */
const targetOf = (amount: Money, exchange: Exchange): Money =>
  isCryptoAssetCode(exchange.from) || isCryptoAssetCode(exchange.to)
    ? given(amount, exchange)
    : expected(amount, exchange)

const make = Effect.gen(function* () {
  const store = yield* RateStore
  const quote = yield* RateQuote
  const audit = yield* AuditLog
  const { rateLockTtl, rateSources } = yield* Settings
  const { atomically } = yield* Transactor

  /** Before any spread; without a quote, by that of the way back. */
  const quotedNow = Effect.fnUntraced(function* (from: AnyCurrencyCode, to: AnyCurrencyCode) {
    const there = yield* quote.values(null, from, to)
    if (Option.isSome(there)) return Option.some(there.value.live)
    return Option.map(yield* quote.values(null, to, from), ({ live }) => invert(live))
  })

  return {
    set: traced("Rates.set")(function* (permit: Permit<"platform">, { from, rate, to }: typeof WantedRate.Type) {
      if (from === to) return yield* new Invalid({ message: "to: is the same currency as from." })
      const text = toPlainText(BigDecimal.normalize(rate))
      const pair = { from_currency: from, to_currency: to }
      const by = personOf(permit)
      const noted = (action: string, detail: Readonly<Record<string, string | null>>, named = `${from}/${to}`) =>
        audit.record(permit, { action, org: null, subject: ["rate", named], detail })
      const changed = yield* atomically(
        Effect.gen(function* () {
          const before = yield* store.findForUpdate(from, to)
          const previous_rate = Option.getOrNull(Option.map(before, (old) => old.rate))
          const quoted = yield* quotedNow(from, to)
          const own = Option.toArray(before).flatMap((old) => [rateOf(old.rate), rateOf(old.compared_rate)])
          const last = [...own, ...Option.toArray(quoted)]
          const proposals = yield* store.proposals
          const open = proposals.find(
            (one) => one.from_currency === from && one.to_currency === to && one.rate === text
          )
          const isConfirmed = open !== undefined && open.proposed_by !== by
          if (!isConfirmed && last.some((one) => jumps(rate, one))) {
            // A repeated proposal changes nothing: it does not replace the first proposer.
            const proposal = open ?? (yield* store.propose({ ...pair, rate: text, proposed_by: by }))
            yield* noted("rate.proposed", { old: previous_rate, new: text })
            return { ...proposal, previous_rate, status: "proposed" } as const
          }
          // A rate that a source proposed and a person confirmed stays that source's: the source renews it.
          const proposer = isConfirmed ? sourceOfProposer(open.proposed_by) : null
          const origin = proposer === null ? manualOrigin : { source: proposer, published_at: null }
          yield* store.set([{ ...pair, rate: text }], origin, isConfirmed)
          yield* store.dropProposal(from, to)
          yield* noted("rate.set", {
            old: previous_rate,
            new: text,
            ...(isConfirmed ? { proposed_by: open.proposed_by } : {})
          })
          // A source proposes the value of a currency in both directions: one decision covers both.
          const back = proposals.find(
            (one) => one.from_currency === to && one.to_currency === from && one.proposed_by === open?.proposed_by
          )
          if (proposer !== null && back !== undefined) {
            yield* store.set([{ from_currency: to, to_currency: from, rate: back.rate }], origin, true)
            yield* store.dropProposal(to, from)
            yield* noted("rate.set", { new: back.rate, proposed_by: back.proposed_by }, `${to}/${from}`)
          }
          const { compared_rate: _rate, ...now } = yield* Effect.flatMap(store.findForUpdate(from, to), Effect.orDie)
          return { ...now, previous_rate, status: "set" } as const
        })
      )
      if (changed.status === "proposed") {
        const message = `A rate of ${from} to ${to} that moves by more than 10 percent within 24 hours waits for a second person.`
        yield* alertOperator("rate_proposed", message, { rate: text, previous_rate: changed.previous_rate, by })
      }
      return changed
    }),
    /** Base rates with their origin, proposals that wait for a person, and how fetching from each source went. */
    list: (_permit: Permit<"platform">) =>
      Effect.map(
        Effect.all([store.list, store.proposals, store.fetches]),
        ([rates, proposals, fetches]): ListedRates => ({
          rates,
          proposals: proposals.map((one) => ({ ...one, source: sourceOfProposer(one.proposed_by) ?? "manual" })),
          sources: rateSources.fetched.map(
            ({ name }) => fetches.find(({ source }) => source === name) ?? { ...neverFetched, source: name }
          )
        })
      ),
    lookUp: Effect.fnUntraced(function* (permit: Permit<"any">, { amount, from, to }: AskedRate) {
      const org = yield* organizationOf(permit, "org_id: say which organisation the rate is for.")
      const money = yield* Effect.transposeMapOption(amount, (d) =>
        Either.mapLeft(Money.fromDecimal(d, from), (why) => new Invalid({ message: `amount: ${why}.` }))
      )
      const live = yield* mapRefusal(quote.live(org, from, to), ({ message }) => new NotFound({ message }))
      if (Option.isNone(live)) return yield* new NotFound({ message: `There is ${yield* quote.missing(from, to)}.` })
      const locked = yield* quote.lock(
        org,
        { from, to, rate: live.value },
        { ttl: rateLockTtl, amount: Option.getOrNull(amount) }
      )
      const target = Option.map(money, (one) => targetOf(one, locked))
      return extend(locked, { amount: money, target })
    })
  }
})

export class Rates extends Context.Tag("corridor/Rates")<Rates, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Rates, make)
}

/** An asset of 18 digits would be all zeros at the end. */
const shown = (money: Money): BigDecimal.BigDecimal =>
  isCryptoAssetCode(money.currency) ? BigDecimal.normalize(money.toDecimal()) : money.toDecimal()

const currencyOf = (code: string): Either.Either<AnyCurrencyCode, NotFound> =>
  isAnyCurrencyCode(code)
    ? Either.right(code)
    : Either.left(new NotFound({ message: `There is no rate for ${code}: it is no currency or asset that we know.` }))

const withDecimal = <A extends { readonly rate: string }>(row: A) => ({
  ...row,
  rate: BigDecimal.unsafeFromString(row.rate)
})

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
    list: ({ permit }) =>
      answer(
        "Base rates",
        Effect.map(rates.list(permit), (listed) => ({
          ...listed,
          rates: listed.rates.map(withDecimal),
          proposals: listed.proposals.map(withDecimal)
        }))
      ),
    set: traced("RatesHttp.set")(function* ({ payload, permit }) {
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
