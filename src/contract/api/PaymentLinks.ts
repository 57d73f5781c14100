/** Payment links: a page of our own at which anyone who has the address can pay. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { LinkId, OrgId } from "../../domain/Identifiers.ts"
import { CountryCode } from "../../domain/Country.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { AmountInput, WireDecimal } from "../../domain/Decimal.ts"
import { EmailAddress } from "../../domain/EmailAddress.ts"
import { envelope, idOf, idParam, Timestamp } from "./Envelope.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { Moment } from "./Moment.ts"
import { operation } from "./Operation.ts"
import { asSent } from "./Text.ts"

const AmountType = Schema.Literal("fixed", "open").annotations({
  description: "`fixed`: exactly `amount` is paid, once. `open`: the payer chooses the amount, and several may pay"
})

export const PaymentLink = Schema.Struct({
  link_id: idOf(LinkId),
  org_id: idOf(OrgId),
  email: Schema.NullOr(Schema.String).annotations({ description: "The payer's, when it was given" }),
  link_ref: Schema.String.annotations({ description: "The last part of the address; nobody can guess it" }),
  amount: Schema.NullOr(WireDecimal).annotations({
    description: "What the organisation receives, in `currency`; a suggestion, or null, when `amount_type` is `open`"
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
  })
}).annotations({ identifier: "PaymentLink" })

const text = (longest: number, about: { readonly description?: string } = {}) =>
  asSent(longest).annotations({
    jsonSchema: { type: "string", minLength: 1, maxLength: longest, ...about }
  })

/** Left out, or null: the same. */
const given = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true, exact: true })

export const CreatePaymentLink = Schema.Struct({
  amount: given(AmountInput).annotations({
    description: "What the organisation receives. Needed when `amount_type` is `fixed`; otherwise a suggestion"
  }),
  currency: CurrencyCode,
  payer_currency: given(CurrencyCode).annotations({
    description: "Default: `currency`. Another one is converted at a rate that is locked while the payer sees the price"
  }),
  country: given(CountryCode).annotations({ description: "Default: the organisation's own. It drives routing" }),
  email: given(EmailAddress).annotations({ description: "The payer's; the page fills it in" }),
  description: given(text(1000)).annotations({ description: "What it is for; the payer reads it" }),
  amount_type: AmountType,
  expires_at: given(Moment).annotations({ description: "In the future. Without it the link does not expire" })
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
  country: "KE"
}

const OrgPath = Schema.Struct({ org_id: Schema.String })
const LinkPath = Schema.Struct({ org_id: Schema.String, link_id: idParam(LinkId) })

const PATH = "/orgs/:org_id/payment-links"
const LINK = `${PATH}/:link_id` as const

export const PaymentLinksApi = HttpApiGroup.make("paymentLinks")
  .add(
    HttpApiEndpoint.get("list", PATH)
      .setPath(OrgPath)
      .addSuccess(Schema.Struct({ data: Schema.Array(PaymentLink), count: Schema.Int }))
      .addError(NotFound)
      .pipe(
        operation({
          access: "payment_links",
          lists: true,
          summary: "List payment links",
          description: "All of them, newest first.",
          response: { data: [example], count: 1 }
        })
      )
  )
  .add(
    HttpApiEndpoint.post("create", PATH)
      .setPath(OrgPath)
      .setPayload(CreatePaymentLink)
      .addSuccess(envelope(PaymentLink), { status: 201 })
      .addError(NotFound)
      .pipe(
        operation({
          access: "payment_links",
          summary: "Create a payment link",
          description:
            "Extension. Whoever opens `url` sees who asks for how much, chooses among the methods that can be routed at that moment, and pays; what they make is a payin of the organisation, with `link_id` in its `metadata` and the link's maker as its user. A `fixed` link has at most one payment under way: one that failed or was canceled makes room for another.",
          request,
          response: { status: "success", message: "Payment link created", data: example }
        })
      )
  )
  .add(
    HttpApiEndpoint.get("get", LINK)
      .setPath(LinkPath)
      .addSuccess(envelope(PaymentLink))
      .addError(NotFound)
      .pipe(
        operation({
          access: "payment_links",
          summary: "Get a payment link",
          description: "Extension. One payment link of the organisation.",
          response: { status: "success", message: "Payment link", data: example }
        })
      )
  )
  .add(
    HttpApiEndpoint.del("cancel", LINK)
      .setPath(LinkPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(NotFound)
      .addError(Conflict)
      .pipe(
        operation({
          access: "payment_links",
          summary: "Cancel a payment link",
          description:
            "Extension. No payment can begin through it any more; one that is under way goes on, and when it completes, a `fixed` link is `paid` after all. The link stays in the list. A `fixed` link that is `paid` answers 409, also one that was canceled before its payment completed: there is nothing left to cancel. An `open` link takes payments after its first one too, and can be canceled at any time. One that is `expired` answers 204; canceling twice changes nothing."
        })
      )
  )
  .annotate(OpenApi.Title, "Payment links")
  .annotate(
    OpenApi.Description,
    "A hosted page at which anyone who has its address can pay the organisation. Only the list stands in the specification; the rest is an extension."
  )
