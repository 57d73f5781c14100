/** Payment initiation, route preview and actions. */
import { Schema } from "effect"
import { ConfigId, PaymentId, TransactionId } from "../../domain/Ids.ts"
import type { Access } from "../../domain/Access.ts"
import { CountryCode } from "../../domain/Country.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { AmountInput, RateInput, WireDecimal } from "../../domain/Decimal.ts"
import { EmailAddress } from "../../domain/MailSafeText.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import {
  AllProvidersFailed,
  InitiationBadRequest,
  InitiationConflict,
  InitiationNotFound,
  NoRoute
} from "./ErrorSchemas.ts"
import { post, examples, Named, operation, describedGroup } from "./Operation.ts"
import { envelope, idOf, success, optionalExact } from "./Envelope.ts"
import {
  Metadata,
  accountNumber,
  credentialFields,
  optionalOrNull,
  matching,
  text,
  trimmedText
} from "./RequestFields.ts"

const described = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

export const PayerDetails = Schema.Struct({
  name: text(200, "The payer's full name"),
  email: described(EmailAddress, "Where the payer can be reached"),
  phone: text(40, "The payer's phone number, with its country code")
})

export const MobileMoneyDetails = Schema.Struct({
  provider: text(60, "A network of the country, from POST /externals/networks"),
  phone_number: matching(
    /^\+?[\d ()-]{6,24}$/,
    "must be a phone number, such as +254712345678",
    "The number of the mobile money account, with its country code"
  )
})

/** With its own jsonSchema: OpenAPI ignores a range beside a `$ref`. */
const whole = (minimum: number, maximum: number, description: string) =>
  Schema.Int.pipe(Schema.between(minimum, maximum)).annotations({
    description,
    jsonSchema: { type: "integer", minimum, maximum, description }
  })

const PayersBrowser = Schema.Struct({
  ip_address: optionalOrNull(text(45, "IPv4 or IPv6 address of the payer, not of your server")),
  user_agent: text(1000, "The browser's User-Agent"),
  accept_header: text(1000, "The browser's Accept"),
  language: text(35, "`navigator.language`, such as en-GB"),
  color_depth: whole(1, 48, "`screen.colorDepth`"),
  screen_height: whole(0, 100_000, "`screen.height`"),
  screen_width: whole(0, 100_000, "`screen.width`"),
  time_zone_offset: whole(-1440, 1440, "`new Date().getTimezoneOffset()`, in minutes"),
  java_enabled: optionalOrNull(Schema.Boolean).annotations({ description: "`navigator.javaEnabled()`; default: false" })
})

const CardDetails = Schema.Struct({
  card_number: matching(
    /^\d{13,19}$/,
    "must be 13 to 19 digits",
    "13 to 19 digits, without spaces; it is never stored"
  ),
  expiry_month: matching(/^(0?[1-9]|1[0-2])$/, "must be a month, 01 to 12", "01 to 12"),
  expiry_year: matching(/^(\d{2}|\d{4})$/, "must be a year of 2 or 4 digits", "2 or 4 digits"),
  cvv: optionalOrNull(matching(/^\d{3,4}$/, "must be 3 or 4 digits", "3 or 4 digits; it is never stored")),
  card_holder_name: optionalOrNull(text(200, "As on the card")),
  browser: optionalOrNull(PayersBrowser).annotations({
    description: "Extension. Browser of the payer, for 3D Secure. Never stored"
  })
})

const bankName = text(200, "The name of the bank")

export const bankAccountFields = {
  account_number: accountNumber(64, "As the bank writes it; an IBAN where the country has them"),
  bank_code: optionalOrNull(text(32, "The bank's code in its country, or its sort code")),
  bank_name: optionalOrNull(bankName)
}

const SourceBank = Schema.Struct({
  account_name: text(200, "Whose account it is"),
  account_number: bankAccountFields.account_number,
  bank_name: bankName,
  country: optionalOrNull(CountryCode),
  bank_code: bankAccountFields.bank_code
}).annotations({ description: "The payer's source account" })

const DestinationBank = Schema.Struct(bankAccountFields).annotations({ description: "The destination account" })

export const InitiatePayment = Schema.Struct({
  amount: AmountInput.annotations({ description: "In `currency`: above zero, at most 15 significant digits" }),
  target_amount: AmountInput.annotations({
    description:
      "`amount` in `target_currency`: equal if the currencies are, else `amount` times the locked rate, rounded half-even. If rounding changes it by more than 0.5 percent: 400"
  }),
  currency: CurrencyCode,
  target_currency: CurrencyCode,
  payment_method: Schema.Literal("mobile_money", "bank_transfer", "card").annotations({
    description: "Method of the payin or payout"
  }),
  direction: Schema.Literal("payin", "payout").annotations({ description: "From a payer, or to a beneficiary" }),
  country: optionalOrNull(CountryCode),
  org_rate_id: optionalOrNull(Schema.String).annotations({ description: "Unused locked rate, if currencies differ" }),
  client_reference: optionalOrNull(text(255, "Your reference, returned on the record; need not be unique")),
  description: optionalOrNull(text(1000, "Purpose of the payment")),
  payer_details: optionalOrNull(PayerDetails).annotations({ description: "Needed for a payin" }),
  mobile_money_details: optionalOrNull(MobileMoneyDetails).annotations({ description: "Needed for mobile_money" }),
  card_entry: optionalOrNull(Schema.Literal("hosted")).annotations({
    description:
      "Extension. For a card payin: the payer enters the card on the provider's own page (`next_action: redirect`), and `card_details` is not needed"
  }),
  card_details: optionalOrNull(CardDetails).annotations({
    description:
      "Needed for card without `card_entry`; never stored. Passed on only to providers that take card numbers (`CARD_DATA=raw`, and the sandbox's own). For all others the number is dropped at once, and the payer enters the card on the provider's page"
  }),
  bank_details: optionalOrNull(SourceBank).annotations({ description: "Needed for bank_transfer" }),
  bank_account: optionalOrNull(DestinationBank).annotations({ description: "Needed for bank_transfer" }),
  beneficiary_id: optionalOrNull(Schema.String).annotations({ description: "Needed for a payout" }),
  virtual_account_id: optionalOrNull(Schema.String).annotations({
    description:
      "Extension. For a payin: the virtual account that it credits instead of the settlement balance, in `target_currency`. Fees, refunds and chargebacks are taken from it. It goes through the platform's provider accounts only"
  }),
  return_url: optionalOrNull(text(2000)).annotations({
    description:
      "Where the customer goes after the hosted checkout. `status` (`completed` or `failed`) and `reference` are set in the query. Absolute https; http on localhost in sandbox mode"
  }),
  metadata: optionalOrNull(Metadata),
  platform_only: optionalOrNull(
    Schema.Literal(false).annotations({
      message: () => ({
        message: "is for previews alone: a payment goes through whichever accounts its route has",
        override: true
      })
    })
  ).annotations({ description: "Only for `route-preview`; `true` is 400 here" }),
  ...credentialFields
}).annotations({ identifier: "InitiatePayment" })

const PreviewRoute = Schema.Struct({
  ...InitiatePayment.fields,
  platform_only: optionalOrNull(Schema.Boolean).annotations({
    description: "Previews a withdrawal, escrow payout or ramp, which never use an organisation's own provider account"
  })
}).annotations({ identifier: "PreviewRoute" })

const shown = (schema: Schema.Schema<string>) => optionalExact(Schema.NullOr(schema))

export const InitiationResult = Schema.Struct({
  statusCode: Schema.Int,
  response: Schema.Struct({
    success: Schema.Boolean,
    payment_id: idOf(PaymentId),
    transaction_id: idOf(TransactionId),
    status: Schema.Literal(...paymentStatuses),
    next_action: Schema.optionalWith(
      Schema.Literal("redirect", "wait", "bank_transfer", "pay_by_link", "collect_otp", "check_status"),
      { exact: true }
    ).annotations({ description: "Absent: nothing to do" }),
    redirect_url: Schema.NullOr(Schema.String),
    provider: Schema.NullOr(ProviderName),
    message: Schema.NullOr(Schema.String),
    payment_data: Schema.Struct({
      amount: WireDecimal,
      currency: Schema.String,
      target_amount: WireDecimal,
      target_currency: Schema.String,
      metadata: Schema.Record({ key: Schema.String, value: Schema.Unknown })
    }),
    account_name: shown(Schema.String),
    account_number: shown(Schema.String),
    bank_name: shown(Schema.String),
    bank_code: shown(Schema.String),
    reference: shown(Schema.String),
    expires_at: shown(Schema.String),
    payment_link: shown(Schema.String),
    address: shown(Schema.String).annotations({ description: "Extension. Deposit address of an off-ramp" }),
    network: shown(Schema.String).annotations({ description: "Extension. Network of the address" })
  })
}).annotations({ identifier: "InitiationResult" })

export const RoutePreview = Schema.Struct({
  candidates: Schema.Array(
    Schema.Struct({ provider: ProviderName, config_id: idOf(ConfigId), priority: Schema.Int })
  ).annotations({ description: "In the order in which they would be tried" }),
  excluded: Schema.Array(Schema.Struct({ provider: ProviderName, config_id: idOf(ConfigId), reason: Schema.String }))
}).annotations({ identifier: "RoutePreview" })

export const paymentActions = ["submit_otp", "resend_otp", "cancel", "refund", "review", "reject"] as const

const PaymentAction = Schema.Literal(...paymentActions).annotations({ description: "Action on the payment" })
const isPaymentAction = Schema.is(PaymentAction)

const accessOfAction: { readonly [Action in typeof PaymentAction.Type]?: Access } = {
  refund: "refunds",
  review: "reviews",
  reject: "reviews"
}

export const ActOnPayment = Schema.Struct({
  action: PaymentAction,
  otp: optionalOrNull(trimmedText(32, "Needed for submit_otp: the one-time password")),
  amount: optionalOrNull(AmountInput).annotations({
    description: "For refund, in the payment's currency; default: the rest"
  }),
  reason: optionalOrNull(text(500, "For cancel, refund and reject: why")),
  accept_rate: optionalOrNull(RateInput).annotations({ description: "For review: the new rate, from the 409" })
}).annotations({ identifier: "ActOnPayment" })

const request = {
  amount: 1500,
  currency: "KES",
  target_amount: 1500,
  target_currency: "KES",
  payment_method: "mobile_money",
  direction: "payin",
  country: "KE",
  client_reference: "order-1042",
  payer_details: { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" },
  mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" }
}

const payer_details = request.payer_details

const shillings = { amount: 1500, currency: "KES", target_amount: 1500, target_currency: "KES", country: "KE" }

const payinBy = (payment_method: string) => ({ ...shillings, payment_method, direction: "payin", payer_details })

const initiations = new Named({
  mobile_money_payin: { summary: "Payin by mobile money", value: request },
  bank_payin: {
    summary: "Payin by bank transfer",
    value: {
      ...payinBy("bank_transfer"),
      bank_details: {
        account_name: "Wanjiru Kamau",
        account_number: "1100223344",
        bank_name: "Equity Bank",
        country: "KE",
        bank_code: "68"
      },
      bank_account: { account_number: "9988776655", bank_code: "01", bank_name: "KCB" }
    }
  },
  hosted_card_payin: {
    summary: "Payin by card, entered on the provider's page",
    value: {
      ...payinBy("card"),
      card_entry: "hosted",
      return_url: "https://shop.example/thanks"
    }
  },
  card_payin: {
    summary: "Payin by card, by its number",
    value: {
      ...payinBy("card"),
      card_details: {
        card_number: "4242424242424242",
        expiry_month: "12",
        expiry_year: "2030",
        cvv: "123",
        card_holder_name: "Wanjiru Kamau"
      },
      return_url: "https://shop.example/thanks"
    }
  },
  cross_currency_payin: {
    summary: "Payin in shillings that the organisation receives in dollars, at a locked rate",
    value: {
      ...request,
      target_amount: 11.61,
      target_currency: "USD",
      org_rate_id: "0199c2a4-9e05-7d11-a2b3-c4d5e6f70819"
    }
  },
  payout: {
    summary: "Payout to a beneficiary, by mobile money",
    value: {
      ...shillings,
      payment_method: "mobile_money",
      direction: "payout",
      beneficiary_id: "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77",
      mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" },
      description: "March salary"
    }
  }
})

const started = {
  success: true,
  payment_id: "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88",
  transaction_id: "0199c2a5-0c11-7d21-9a41-7c6b5a493827",
  status: "processing",
  next_action: "wait",
  redirect_url: null,
  provider: "fiat",
  message: "The payment is being processed.",
  payment_data: { amount: 1500, currency: "KES", target_amount: 1500, target_currency: "KES", metadata: {} }
}

const { next_action: _, ...ended } = started

const waits = { ...started, status: "pending", message: "The payment waits for the customer." }

const answered = (summary: string, response: object) => ({ summary, value: { statusCode: 200, response } })

const answers = new Named({
  processing: answered("A provider has it", started),
  redirect: answered("The customer confirms on a page", {
    ...waits,
    next_action: "redirect",
    redirect_url: "https://pay.example.com/checkout/0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88?t=q1w2e3"
  }),
  collect_otp: answered("The customer types a one-time password", { ...waits, next_action: "collect_otp" }),
  bank_transfer: answered("The customer makes a transfer", {
    ...waits,
    next_action: "bank_transfer",
    account_name: "Corridor Sandbox",
    account_number: "0123456789",
    bank_name: "Corridor Sandbox Bank",
    bank_code: null,
    reference: "CR4F1A2B3C4D",
    expires_at: "2026-03-02T09:45:00.000Z"
  }),
  check_status: answered("The outcome is unknown yet; no other provider is tried", {
    ...waits,
    next_action: "check_status",
    message: "The provider has not said yet what became of the payment."
  }),
  held: answered("It waits for a review", { ...started, status: "initiated", provider: null })
})

const acts = new Named({
  submit_otp: { summary: "The password that the customer was sent", value: { action: "submit_otp", otp: "123456" } },
  resend_otp: { summary: "Another password", value: { action: "resend_otp" } },
  cancel: { summary: "Call it off", value: { action: "cancel", reason: "The customer changed their mind" } },
  refund_part: {
    summary: "Refund a part",
    value: { action: "refund", amount: 500, reason: "One item came back" }
  },
  refund: { summary: "Refund all that is left", value: { action: "refund" } },
  review: { summary: "Approve what waits for a review", value: { action: "review" } },
  accept_rate: { summary: "Approve it at the new rate", value: { action: "review", accept_rate: 129.35 } },
  reject: { summary: "Turn it away", value: { action: "reject", reason: "Not in the budget" } }
})

const actionDescription = [
  "An action that the payment's state does not allow is 409 `INVALID_STATE`; the message names the state.",
  "- `submit_otp`: the customer's one-time password (`next_action` `collect_otp`). A wrong one is 400 `OTP_INVALID`; the fifth fails the payment. `resend_otp` requests another, at most five times an hour for a payment; beyond that 429 with `Retry-After`.",
  "- `cancel`: possible while no provider has the payment, or if its provider confirms the cancellation. Otherwise 409; the message has the time at which an unpaid payin expires (`PAYIN_EXPIRY`, 24 hours; payment links 1 hour). It is then `failed` with the failure code `EXPIRED`.",
  "- `refund`: refunds a completed payin, all of it or `amount`, in the payment's `currency`. Within 24 hours after completion it costs the payment's rate, rounded up over all refunds; later the live rate (`rate_basis` of the refund). The status is `refunded` when all of it is returned; the timeline has an attempt of the leg `refund` for each. Needs the role `staff` or the permission `refunds`.",
  "- `review`: approves a payment that is held by the organisation's `review_threshold`; `reject` rejects it. The initiator can do neither. Payments held by sanctions screening or a platform rule are approved by platform admins only (403). A held payment keeps its locked rate for 24 hours (`REVIEW_RATE_TTL`), as long as it is at most 0.5 percent better for the customer than the live rate; a held ramp as long as the live rate stays within 0.5 percent. After that `review` is 409 with the new `rate`, to be sent as `accept_rate`. The other amount is then computed at it (paid amounts round down, charged amounts up; the fee stays), and `comments` has both prices. A held card payment continues at the hosted checkout (`next_action` `redirect`); if its rate expires before the card is entered, it needs a `review` with `accept_rate` again. Both need the role `staff` or the permission `reviews`."
].join("\n")

export const PaymentsInitApi = describedGroup(
  "paymentsInit",
  "Payment initiation",
  "Payins and payouts, and what can be done with them afterwards.",
  [
    operation({
      endpoint: post("initiate", "/payments-init/initiate")
        .setPayload(InitiatePayment)
        .addSuccess(InitiationResult)
        .addError(InitiationConflict)
        .addError(NoRoute)
        .addError(AllProvidersFailed),
      access: "any",
      alsoNeeds: ({ direction }) => (direction === "payout" ? "payouts" : undefined),
      movesMoney: true,
      summary: "Initiate a payment",
      description:
        "Starts a payin or a payout. The payment is sent to the first candidate of its route, and to the next only after a definite decline. After a timeout no other provider is tried: the payment is `pending` with `next_action` `check_status` until the outcome is known. Instruction fields (`account_number`, `payment_link`, …) are at the top level of `response`. A payout goes to its beneficiary, in the beneficiary's currency. Details of another account or kind are 400, as is `card`. Mobile money needs a phone number of the network's country and the network's currency. A payer who enters the card on the provider's page (`card_entry`, extension) is sent to `redirect_url`, and comes back by the hosted checkout to `return_url`. Payouts need the role `staff` or the permission `payouts`. `org_id` and `user_id` in the body are ignored.",
      request: initiations,
      response: answers
    }),
    operation({
      endpoint: post("preview", "/payments-init/route-preview")
        .setPayload(PreviewRoute)
        .addSuccess(envelope(RoutePreview)),
      access: "any",
      summary: "Preview a route",
      description:
        "Extension. Takes the body of an initiation. Returns the providers that would be tried, in order, and the excluded ones with reasons. Creates nothing.\n\nThe circuit to a provider opens after ten payments in a row without a definite answer. It opens for one organisation if all ten are its own, and for all if at least three organisations are affected (each counts for at most four). After 30 seconds one payment tests the provider. A definite answer closes the circuit; after another timeout, other organisations test it first. If no other provider is left, the provider is tried anyway.",
      request: initiations,
      response: examples({
        "One is asked": success("Route preview", {
          candidates: [{ provider: "fiat", config_id: "0199c2a4-9e00-7b11-8d22-1a2b3c4d5e6f", priority: 100 }],
          excluded: []
        }),
        "One is asked, one is not": success("Route preview", {
          candidates: [{ provider: "fiat", config_id: "0199c2a4-9e00-7b11-8d22-1a2b3c4d5e6f", priority: 100 }],
          excluded: [
            {
              provider: "pawapay",
              config_id: "0199c2a4-9e01-7c12-9e33-2b3c4d5e6f70",
              reason: "The provider pawapay did not answer repeatedly: its circuit breaker is open."
            }
          ]
        })
      })
    }),
    operation({
      endpoint: post("action", "/payments-init/:payment_id/action")
        .setPayload(ActOnPayment)
        .addSuccess(InitiationResult)
        .addError(InitiationConflict)
        .addError(NoRoute)
        .addError(AllProvidersFailed),
      access: "any",
      alsoNeeds: ({ action }) => (isPaymentAction(action) ? accessOfAction[action] : undefined),
      summary: "Act on a payment",
      description: actionDescription,
      movesMoney: true,
      request: acts,
      response: new Named({
        on_its_way: answered("A provider processes the payment", started),
        back: answered("It was refunded", {
          ...ended,
          status: "refunded",
          message: "The payment was refunded."
        }),
        off: answered("It was called off", {
          ...ended,
          status: "canceled",
          message: "The payment was canceled."
        })
      })
    })
  ]
)
  .addError(InitiationBadRequest)
  .addError(InitiationNotFound)
