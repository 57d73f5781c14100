/** Exchange rates: lookup with a lock, and setting a base rate. */
import { Either, ParseResult, Schema } from "effect"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { checkAmountLength, fromPlainText, RateInput, toPlainText, WireDecimal } from "../../domain/Decimal.ts"
import { get, put, examples, operation, apiGroup } from "./Operation.ts"
import { envelope, Id, OrgParam, Timestamp, success } from "./Envelope.ts"

/** An amount in a query, with the rules of an amount in a body. Never a float. */
const AmountText = Schema.transformOrFail(Schema.String, Schema.BigDecimalFromSelf, {
  strict: true,
  decode: (text, _, ast) =>
    Either.fromOption(fromPlainText(text), () => "is not a decimal number such as 1500.50").pipe(
      Either.filterOrLeft(
        (d) => d.value > 0n,
        () => "is not above zero"
      ),
      Either.flatMap(checkAmountLength),
      Either.mapLeft((why) => new ParseResult.Type(ast, text, why))
    ),
  encode: (d) => ParseResult.succeed(toPlainText(d))
}).annotations({
  jsonSchema: {
    type: "number",
    exclusiveMinimum: 0,
    description:
      "Extension. An amount of `fromCurrency`: above zero, of at most 15 significant digits, with no more fraction digits than the currency has.",
    examples: [1500.5]
  }
})

const rate = WireDecimal.annotations({
  jsonSchema: {
    type: "number",
    description: "Value of one unit of `from_currency` in `to_currency`; exact, at most 12 significant digits.",
    examples: [129.198966408]
  }
})

/** Any code of the right form; an unknown one has no rate. */
const Code = Schema.String.pipe(
  Schema.pattern(/^[A-Z]{3,5}$/, {
    message: () => 'is not a currency or asset code such as "KES" or "USDT", in upper case'
  })
).annotations({ description: "An ISO 4217 currency code or a crypto asset code, in upper case" })

const LookupParams = Schema.Struct({
  fromCurrency: Code.annotations({ examples: ["USD"] }),
  toCurrency: Code.annotations({ examples: ["KES"] }),
  amount: Schema.optionalWith(AmountText, { exact: true }),
  ...OrgParam
}).pipe(
  Schema.filter(({ fromCurrency, toCurrency }) =>
    fromCurrency === toCurrency ? { path: ["toCurrency"], message: "is the same currency as fromCurrency" } : undefined
  )
)

const LockedExchangeRate = Schema.Struct({
  org_rate_id: Id.annotations({
    jsonSchema: {
      type: "string",
      format: "uuid",
      description: "UUIDv7. Send it as `org_rate_id` with one payment or transfer, before `expires_at`"
    }
  }),
  from_currency: AnyCurrencyCode,
  to_currency: AnyCurrencyCode,
  rate,
  amount: Schema.NullOr(WireDecimal).annotations({ description: "As asked; null without one" }),
  target_amount: Schema.NullOr(WireDecimal).annotations({
    description:
      "`amount` times `rate`. Fiat to fiat: rounded half-even to the minor unit, as a payment's `target_amount`. With crypto: rounded down, as in a ramp, crypto to at most 8 fraction digits. Null without an amount"
  }),
  expires_at: Timestamp,
  created_at: Timestamp
}).annotations({ identifier: "LockedExchangeRate" })

const SetExchangeRate = Schema.Struct({
  from_currency: AnyCurrencyCode,
  to_currency: AnyCurrencyCode,
  rate: RateInput
})
  .pipe(
    Schema.filter(({ from_currency, to_currency }) =>
      from_currency === to_currency
        ? { path: ["to_currency"], message: "is the same currency as from_currency" }
        : undefined
    )
  )
  .annotations({ identifier: "SetExchangeRate" })

const BaseExchangeRate = Schema.Struct({
  from_currency: AnyCurrencyCode,
  to_currency: AnyCurrencyCode,
  rate,
  status: Schema.Literal("set", "proposed").annotations({
    description:
      "`proposed`: more than 10 percent from the last or quoted rate or from that of 24 hours ago, and not used until another admin sends the same request within 24 hours"
  }),
  previous_rate: Schema.NullOr(rate).annotations({ description: "Rate before; null: none" }),
  updated_at: Timestamp
}).annotations({ identifier: "BaseExchangeRate" })

const Source = Schema.String.annotations({
  description: "`manual`, or the source of `RATE_SOURCE` that it comes from"
})
const PublishedAt = Schema.NullOr(Timestamp).annotations({
  description: "Time of publication by the source; null where it does not say"
})

const ListedExchangeRates = Schema.Struct({
  rates: Schema.Array(
    Schema.Struct({
      from_currency: Schema.String,
      to_currency: Schema.String,
      rate,
      source: Source,
      published_at: PublishedAt,
      updated_at: Timestamp
    })
  ),
  proposals: Schema.Array(
    Schema.Struct({
      from_currency: Schema.String,
      to_currency: Schema.String,
      rate,
      source: Source,
      proposed_by: Schema.String.annotations({ description: "A user, an operator, or `source` and its name" }),
      proposed_at: Timestamp
    })
  ).annotations({
    description: "Rates that wait for a person, since they move by more than 10 percent. Confirm one by setting it"
  }),
  sources: Schema.Array(
    Schema.Struct({
      source: Schema.String,
      fetched_at: Schema.NullOr(Timestamp).annotations({ description: "Last success; null: none so far" }),
      published_at: PublishedAt,
      failures: Schema.Int.annotations({ description: "Failed fetches since the last success" }),
      last_error: Schema.NullOr(Schema.String).annotations({ description: "Reason of the last failure" })
    })
  ).annotations({ description: "Sources that are fetched, the one with the highest priority first" })
}).annotations({ identifier: "ListedExchangeRates" })

export const RATE_PROPOSED =
  "Exchange rate proposed: it moves by more than 10 percent, and another admin confirms it by the same request"

const path = "/organizations/admin/exchange-rate"

const LOCKED = "Exchange rate, locked until expires_at"

const lockedExample = {
  org_rate_id: "0199c2a4-9e05-7d11-a2b3-c4d5e6f70819",
  from_currency: "USD",
  to_currency: "KES",
  rate: 129.198966408,
  amount: 1500.5,
  target_amount: 193863.05,
  expires_at: "2026-03-02T09:30:00.000Z",
  created_at: "2026-03-02T09:15:00.000Z"
}

const setExample = {
  from_currency: "USD",
  to_currency: "KES",
  rate: 129.35,
  status: "set",
  previous_rate: 129.198966408,
  updated_at: "2026-03-02T09:15:00.000Z"
}

export const RatesApi = apiGroup("rates", "Exchange rates", "The rates of cross-currency payments and crypto ramps.", [
  operation({
    endpoint: get("lookup", path).setUrlParams(LookupParams).addSuccess(envelope(LockedExchangeRate)),
    access: "any",
    summary: "Look up an exchange rate",
    description:
      "The live rate, fiat or crypto, locked for the organisation until `expires_at` (default: 15 minutes). A payment with its `org_rate_id` before that uses exactly this rate. The first payment or transfer uses it up; a payment that every provider declined gives it back. With `amount` it is valid for that amount only, without it for up to 100,000 USD worth (`RATE_LOCK_MAX`). Gains of an organisation's locks over the live rate are limited to 1,000 USD worth in 24 hours (`RATE_GAIN_MAX`). Beyond that, a lock more than 0.5 percent better is rejected with `RATE_MISMATCH`.\n\nQuotes are crossed through USD and rounded down; a direct rate of the pair is used if it is worse for the customer. A pair without a rate, or with an outdated one, is 404. A platform admin names the organisation with `org_id`.",
    response: examples({
      "Of an amount": success(LOCKED, lockedExample),
      "Without an amount": success(LOCKED, { ...lockedExample, amount: null, target_amount: null }),
      "Of crypto": success(LOCKED, {
        ...lockedExample,
        from_currency: "USDT",
        rate: 129.30724,
        amount: 100,
        target_amount: 12930.72
      })
    })
  }),
  operation({
    endpoint: put("set", path).setPayload(SetExchangeRate).addSuccess(envelope(BaseExchangeRate)),
    access: "platform",
    summary: "Set a base rate",
    description:
      "Extension. Sets one direction. Against USD it sets the value of the other currency; the opposite direction keeps its own rate, but is never quoted above the inverse of a newer one. Between two other currencies it is used only if it is worse for the customer than through USD. So no cycle of exchanges gains money. Locked rates stay.\n\nA rate more than 10 percent away from the pair's last or quoted rate, or from its rate at the beginning of the present 24 hours, needs a second admin: the first request is a proposal (`status: proposed`), and the same request by another admin within 24 hours sets it. `corridor rates set` counts as a request of the operator.",
    request: examples({
      "Between fiat currencies": { from_currency: "USD", to_currency: "KES", rate: 129.35 },
      "Of crypto": { from_currency: "USDT", to_currency: "USD", rate: 0.9995 }
    }),
    response: examples({
      "It is set": success("Exchange rate set", setExample),
      "It waits for a second admin": success(RATE_PROPOSED, { ...setExample, rate: 155, status: "proposed" })
    })
  }),
  operation({
    endpoint: get("list", `${path}s`).addSuccess(envelope(ListedExchangeRates)),
    access: "platform",
    lists: true,
    summary: "List base rates",
    description:
      "Extension. All base rates with the source of each, rates that wait for a person, and the state of each source of `RATE_SOURCE`. A proposal is confirmed by setting the same rate; one of a source then counts in both directions.",
    response: success("Base rates", {
      rates: [
        {
          from_currency: "USD",
          to_currency: "EUR",
          rate: 0.934142923867,
          source: "ecb",
          published_at: "2026-03-02T00:00:00.000Z",
          updated_at: "2026-03-02T15:30:00.000Z"
        }
      ],
      proposals: [
        {
          from_currency: "USD",
          to_currency: "BTC",
          rate: 0.0000105263157894,
          source: "coinbase",
          proposed_by: "source coinbase",
          proposed_at: "2026-03-02T15:30:00.000Z"
        }
      ],
      sources: [
        {
          source: "ecb",
          fetched_at: "2026-03-02T15:30:00.000Z",
          published_at: "2026-03-02T00:00:00.000Z",
          failures: 0,
          last_error: null
        }
      ]
    })
  })
])
