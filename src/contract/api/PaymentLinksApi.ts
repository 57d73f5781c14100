/** Payment links: a page of our own at which anyone who has the address can pay. */
import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Either, Schema } from "effect"
import { LinkId, OrgId } from "../../domain/Ids.ts"
import { CountryCode } from "../../domain/Country.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { AmountInput, WireDecimal } from "../../domain/Decimal.ts"
import { EmailAddress } from "../../domain/MailSafeText.ts"
import { readLogo } from "../../domain/Logo.ts"
import { CursorParam, envelope, idOf, idParam, pageFieldsIfAny, PageSizeIfAny, Timestamp, success } from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { IsoTime, optionalOrNull, text } from "./RequestFields.ts"
import { CURSOR, examples, Named, operation, apiGroup } from "./Operation.ts"

const AmountType = Schema.Literal("fixed", "open").annotations({
  description: "`fixed`: exactly `amount` is paid, once. `open`: the payer chooses the amount, and several may pay"
})

export const PaymentLink = Schema.Struct({
  link_id: idOf(LinkId),
  org_id: idOf(OrgId),
  email: Schema.NullOr(Schema.String).annotations({ description: "The payer's, when it was given" }),
  link_ref: Schema.String.annotations({ description: "The last part of the URL; not guessable" }),
  amount: Schema.NullOr(WireDecimal).annotations({
    description:
      "Amount that the organisation receives, in `currency`; a suggestion, or null, if `amount_type` is `open`"
  }),
  currency: CurrencyCode,
  payer_currency: Schema.propertySignature(CurrencyCode).annotations({ description: "What the payer pays in" }),
  description: Schema.NullOr(Schema.String),
  amount_type: AmountType,
  status: Schema.Literal("active", "paid", "expired", "canceled").annotations({
    description:
      "An `open` link that has been paid goes on taking payments until it expires or is canceled; a `fixed` one does not"
  }),
  expires_at: Schema.NullOr(Timestamp),
  paid_at: Schema.NullOr(Timestamp).annotations({ description: "When the first payment through it was completed" }),
  created_at: Timestamp,
  url: Schema.String.annotations({ description: "The page for the payer" }),
  country: Schema.propertySignature(CountryCode).annotations({
    description: "Extension. Where it is paid; decides who can take the payment"
  }),
  client_reference: Schema.NullOr(Schema.String).annotations({ description: "Extension. Your own reference" }),
  return_url: Schema.NullOr(Schema.String).annotations({ description: "Extension. Where payers are led afterwards" }),
  brand: Schema.Struct({
    name: Schema.NullOr(Schema.String),
    color: Schema.NullOr(Schema.String),
    logo_url: Schema.NullOr(Schema.String).annotations({ description: "Where the logo is shown from" })
  }).annotations({ description: "Extension. How the page looks; all null: like any other" })
}).annotations({ identifier: "PaymentLink" })

const Color = Schema.String.pipe(
  Schema.filter((given) => /^#[0-9a-fA-F]{6}$/.test(given) || 'must be a colour such as "#0b6e4f"')
).annotations({ jsonSchema: { type: "string", pattern: "^#[0-9a-fA-F]{6}$" } })

/** Room for the largest logo in base64, and the words before it. */
const Logo = Schema.String.pipe(
  Schema.filter((given) => Either.match(readLogo(given), { onLeft: (why) => why, onRight: () => true }))
).annotations({
  jsonSchema: { type: "string", maxLength: 90_000, pattern: "^data:image/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$" }
})

export const CreatePaymentLink = Schema.Struct({
  amount: optionalOrNull(AmountInput).annotations({
    description: "Amount that the organisation receives. Required if `amount_type` is `fixed`; otherwise a suggestion"
  }),
  currency: CurrencyCode,
  payer_currency: optionalOrNull(CurrencyCode).annotations({
    description: "Default: `currency`. Another one is converted at a rate that is locked while the payer sees the price"
  }),
  country: optionalOrNull(CountryCode).annotations({
    description: "Default: the organisation's own. It drives routing"
  }),
  email: optionalOrNull(EmailAddress).annotations({ description: "The payer's; the page fills it in" }),
  description: optionalOrNull(text(1000)).annotations({ description: "Shown to the payer" }),
  amount_type: AmountType,
  expires_at: optionalOrNull(IsoTime).annotations({
    description: "In the future. Without it the link does not expire"
  }),
  client_reference: optionalOrNull(text(255)).annotations({
    description: "Extension. Your own reference: payments through the link carry it, and payers are shown it"
  }),
  return_url: optionalOrNull(Schema.String.pipe(Schema.maxLength(2000))).annotations({
    description:
      "Extension. Where payers are led once the outcome is final, with `status` (`completed` or `failed`) and `reference` in the query (in the place of what it has by these names itself), after they have seen their receipt. Absolute https; http on localhost in sandbox mode"
  }),
  brand: optionalOrNull(
    Schema.Struct({
      name: optionalOrNull(text(80)).annotations({
        description: "Stands where the organisation's name would; that is then written below it"
      }),
      color: optionalOrNull(Color).annotations({
        description: "Colour of buttons. Their text is black or white, whichever has more contrast"
      }),
      logo: optionalOrNull(Logo).annotations({
        description:
          "A PNG, JPEG or WebP picture of at most 64 KiB as a `data:` URL. It is served by this service alone"
      })
    })
  ).annotations({ description: "Extension. How the page looks" })
}).annotations({ identifier: "CreatePaymentLink" })

const request = {
  amount: 1500,
  currency: "KES",
  country: "KE",
  email: "wanjiru@example.com",
  description: "Invoice 1042",
  amount_type: "fixed",
  expires_at: "2035-01-31T18:00:00.000Z"
}

const example = {
  link_id: "0199c2a4-8a10-7c3a-9d55-2f6b8f0e1a77",
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  email: request.email,
  link_ref: "3sTqV0cWnB4xKd8LmZ1yRfH",
  amount: request.amount,
  currency: "KES",
  payer_currency: "KES",
  description: request.description,
  amount_type: "fixed",
  status: "active",
  expires_at: request.expires_at,
  paid_at: null,
  created_at: "2026-03-02T09:15:00.000Z",
  url: "https://pay.example.com/pay/3sTqV0cWnB4xKd8LmZ1yRfH",
  country: "KE",
  client_reference: null,
  return_url: null,
  brand: { name: null, color: null, logo_url: null }
}

const brandedExample = {
  ...example,
  client_reference: "order-1042",
  return_url: "https://shop.example/thanks",
  brand: { name: "Acme Shop", color: "#0b6e4f", logo_url: `${example.url}/logo` }
}

/** The smallest picture that there is: one transparent point. */
const point =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

const requests = new Named({
  fixed: { summary: "A fixed amount, once", value: request },
  open: {
    summary: "An amount that payers choose, as often as they like",
    value: { currency: "KES", amount_type: "open", description: "Donation" }
  },
  cross_currency: {
    summary: "Priced in US dollars, paid in Kenyan shillings",
    value: { amount: 20, currency: "USD", payer_currency: "KES", country: "KE", amount_type: "fixed" }
  },
  branded: {
    summary: "With a brand, a reference and a way back",
    value: {
      amount: 1500,
      currency: "KES",
      amount_type: "fixed",
      client_reference: "order-1042",
      return_url: "https://shop.example/thanks",
      brand: { name: "Acme Shop", color: "#0b6e4f", logo: point }
    }
  }
})

const OrgPath = Schema.Struct({ org_id: Schema.String })
const LinkPath = Schema.Struct({ org_id: Schema.String, link_id: idParam(LinkId) })

const PATH = "/orgs/:org_id/payment-links"
const LINK = `${PATH}/:link_id` as const

export const PaymentLinksApi = apiGroup(
  "paymentLinks",
  "Payment links",
  "A hosted page at which anyone who has its address can pay the organisation. Only the list stands in the specification; the rest is an extension."
)
  .add(
    operation({
      endpoint: HttpApiEndpoint.get("list", PATH)
        .setPath(OrgPath)
        .setUrlParams(Schema.Struct({ limit: PageSizeIfAny, last_evaluated_key: CursorParam }))
        .addSuccess(
          Schema.Struct({
            data: Schema.Array(PaymentLink),
            count: Schema.Int.annotations({ description: "Links in this answer" }),
            ...pageFieldsIfAny("last_evaluated_key")
          })
        ),
      access: "payment_links",
      lists: true,
      summary: "List payment links",
      description:
        "Newest first: all of them, or pages with `limit` (extension), which long lists are better read by. Of lists without `limit` that are longer than 100 one at a time is answered for an organisation; a second is 429 with `Retry-After`.",
      response: examples({
        "All of them": { data: [example], count: 1 },
        "A page of one": {
          data: [example],
          count: 1,
          meta: { count: 1, has_more: true, last_evaluated_key: CURSOR },
          last_evaluated_key: CURSOR
        },
        "None are found": { data: [], count: 0 }
      })
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.post("create", PATH)
        .setPath(OrgPath)
        .setPayload(CreatePaymentLink)
        .addSuccess(envelope(PaymentLink), { status: 201 }),
      access: "payment_links",
      summary: "Create a payment link",
      description:
        "Extension. Whoever opens `url` sees who asks for how much, chooses among the methods that can be routed at that moment, and pays; what they make is a payin of the organisation, with `link_id` in its `metadata` and the link's maker as its user. A `fixed` link has at most one payment under way: one that failed, was canceled or was not paid within an hour (`LINK_PAYIN_EXPIRY`) makes room for another. Only the browser in which it was begun goes on with it or cancels it.",
      request: requests,
      response: examples({
        "A fixed amount, once": success("Payment link created", example),
        "With a brand, a reference and a way back": success("Payment link created", brandedExample)
      })
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.get("get", LINK).setPath(LinkPath).addSuccess(envelope(PaymentLink)),
      access: "payment_links",
      summary: "Get a payment link",
      description: "Extension. One payment link of the organisation.",
      response: examples({
        Active: success("Payment link", example),
        Paid: success("Payment link", { ...brandedExample, status: "paid", paid_at: "2026-03-02T09:21:30.000Z" })
      })
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.del("cancel", LINK)
        .setPath(LinkPath)
        .addSuccess(HttpApiSchema.NoContent)
        .addError(Conflict),
      access: "payment_links",
      summary: "Cancel a payment link",
      description:
        "Extension. No payment can begin through it any more; one that is under way goes on, and when it completes, a `fixed` link is `paid` after all. The link stays in the list. A `fixed` link that is `paid` answers 409, also one that was canceled before its payment completed: there is nothing left to cancel. An `open` link takes payments after its first one too, and can be canceled at any time. One that is `expired` answers 204; canceling twice changes nothing."
    })
  )
