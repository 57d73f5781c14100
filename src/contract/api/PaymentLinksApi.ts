/** Payment links: hosted pages where anyone with the address can pay. */
import { HttpApiSchema } from "@effect/platform"
import { Either, Schema } from "effect"
import { AccountId, LinkId, OrgId } from "../../domain/Ids.ts"
import { CountryCode } from "../../domain/Country.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { AmountInput, WireDecimal } from "../../domain/Decimal.ts"
import { EmailAddress } from "../../domain/MailSafeText.ts"
import { del, get, post, CURSOR, examples, Named, operation, apiGroup } from "./Operation.ts"
import { CursorParam, envelope, idOf, pageFieldsIfAny, PageSizeIfAny, Timestamp, success } from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { IsoTime, optionalOrNull, text } from "./RequestFields.ts"

const AmountType = Schema.Literal("fixed", "open").annotations({
  description: "`fixed`: paid once. `open`: payers choose"
})

export const PaymentLink = Schema.Struct({
  link_id: idOf(LinkId),
  org_id: idOf(OrgId),
  email: Schema.NullOr(Schema.String).annotations({ description: "E-mail address of the payer" }),
  link_ref: Schema.String.annotations({ description: "Random last part of the URL" }),
  amount: Schema.NullOr(WireDecimal).annotations({
    description: "In `currency`. For `open` links a suggestion, or null"
  }),
  currency: CurrencyCode,
  payer_currency: Schema.propertySignature(CurrencyCode).annotations({ description: "Currency of the payer" }),
  description: Schema.NullOr(Schema.String),
  amount_type: AmountType,
  status: Schema.Literal("active", "paid", "expired", "canceled").annotations({
    description: "`open` links still take payments when `paid`, until they expire or are canceled"
  }),
  expires_at: Schema.NullOr(Timestamp),
  paid_at: Schema.NullOr(Timestamp).annotations({ description: "Completion of its first payment" }),
  created_at: Timestamp,
  url: Schema.String.annotations({ description: "The page for the payer" }),
  country: Schema.propertySignature(CountryCode).annotations({
    description: "Extension. Country of the payer; determines the route"
  }),
  client_reference: Schema.NullOr(Schema.String).annotations({ description: "Extension. Your own reference" }),
  return_url: Schema.NullOr(Schema.String).annotations({ description: "Extension. Where payers go afterwards" }),
  virtual_account_id: Schema.NullOr(idOf(AccountId)).annotations({
    description: "Extension. The virtual account that its payments credit; null: the settlement balance"
  }),
  brand: Schema.Struct({
    name: Schema.NullOr(Schema.String),
    color: Schema.NullOr(Schema.String),
    logo_url: Schema.NullOr(Schema.String).annotations({ description: "URL of the logo" })
  }).annotations({ description: "Extension. Branding of the page; all null: default" })
}).annotations({ identifier: "PaymentLink" })

const Color = Schema.String.pipe(
  Schema.filter((given) => /^#[0-9a-fA-F]{6}$/.test(given) || 'must be a colour such as "#0b6e4f"')
).annotations({ jsonSchema: { type: "string", pattern: "^#[0-9a-fA-F]{6}$" } })

/** The length allows for the largest logo in base64 and its prefix. */
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
    description: "Default: `currency`. Otherwise converted at a locked rate"
  }),
  country: optionalOrNull(CountryCode).annotations({ description: "Default: the organisation's. Used for routing" }),
  email: optionalOrNull(EmailAddress).annotations({ description: "The payer's; the page fills it in" }),
  description: optionalOrNull(text(1000)).annotations({ description: "Shown to the payer" }),
  amount_type: AmountType,
  expires_at: optionalOrNull(IsoTime).annotations({ description: "In the future. Default: never" }),
  client_reference: optionalOrNull(text(255)).annotations({
    description: "Extension. Copied to payments; shown to payers"
  }),
  return_url: optionalOrNull(text(2000)).annotations({
    description:
      "Extension. Where a button on the receipt leads payers. `status` (`completed` or `failed`) and `reference` are set in the query. Absolute https; http on localhost in sandbox mode"
  }),
  virtual_account_id: optionalOrNull(Schema.String).annotations({
    description: "Extension. A virtual account in `currency` that payments through the link credit"
  }),
  brand: optionalOrNull(
    Schema.Struct({
      name: optionalOrNull(text(80)).annotations({ description: "Shown above the organisation's name" }),
      color: optionalOrNull(Color).annotations({ description: "Colour of buttons; their text is black or white" }),
      logo: optionalOrNull(Logo).annotations({ description: "PNG, JPEG or WebP up to 64 KiB, as `data:` URL" })
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
  virtual_account_id: null,
  brand: { name: null, color: null, logo_url: null }
}

const brandedExample = {
  ...example,
  client_reference: "order-1042",
  return_url: "https://shop.example/thanks",
  brand: { name: "Acme Shop", color: "#0b6e4f", logo_url: `${example.url}/logo` }
}

/** Transparent picture of one pixel. */
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

const PATH = "/orgs/:org_id/payment-links"
const LINK = `${PATH}/:link_id` as const

export const PaymentLinksApi = apiGroup(
  "paymentLinks",
  "Payment links",
  "Hosted pages where anyone with the address can pay the organisation. Only the list is in the specification; the rest is an extension.",
  [
    operation({
      endpoint: get("list", PATH, { limit: PageSizeIfAny, last_evaluated_key: CursorParam }).addSuccess(
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
        "Newest first: all, or pages with `limit` (extension). Lists of more than 100 without `limit` are served one at a time for each organisation; a second is 429 with `Retry-After`.",
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
    }),
    operation({
      endpoint: post("create", PATH).setPayload(CreatePaymentLink).addSuccess(envelope(PaymentLink), { status: 201 }),
      access: "payment_links",
      summary: "Create a payment link",
      description:
        "Extension. The page at `url` shows the organisation and the amount, and offers the methods that can be routed now. A payment is a payin of the organisation, with `link_id` in its `metadata` and the creator of the link as its user. A `fixed` link has one payment in progress at most. If it fails, is canceled, or is not paid within an hour (`LINK_PAYIN_EXPIRY`), another can start. Only the browser that started a payment can continue or cancel it.",
      request: requests,
      response: examples({
        "A fixed amount, once": success("Payment link created", example),
        "With a brand, a reference and a way back": success("Payment link created", brandedExample)
      })
    }),
    operation({
      endpoint: get("get", LINK).addSuccess(envelope(PaymentLink)),
      access: "payment_links",
      summary: "Get a payment link",
      description: "Extension. One payment link of the organisation.",
      response: examples({
        Active: success("Payment link", example),
        Paid: success("Payment link", { ...brandedExample, status: "paid", paid_at: "2026-03-02T09:21:30.000Z" })
      })
    }),
    operation({
      endpoint: del("cancel", LINK).addSuccess(HttpApiSchema.NoContent).addError(Conflict),
      access: "payment_links",
      summary: "Cancel a payment link",
      description:
        "Extension. Accepts no new payments. A payment in progress continues; if it completes, a `fixed` link becomes `paid`. The link stays in the list. A paid `fixed` link: 409, even if it was canceled before. An `open` link can be canceled at any time. An expired link: 204. Canceling twice changes nothing."
    })
  ]
)

export const largestLogo = 65_536

/** Pictures are known by how they begin, whatever they are called. SVG is none of them: it can hold scripts and links. */
const kinds: ReadonlyArray<readonly [type: string, hexDigits: RegExp]> = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/webp", /^52494646.{8}57454250/]
]

export const logoType = (bytes: Uint8Array): string | undefined => {
  const beginning = Buffer.from(bytes.subarray(0, 12)).toString("hex")
  return kinds.find(([, hexDigits]) => hexDigits.test(beginning))?.[0]
}

const DATA_URL = /^data:image\/(?:png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/

export const readLogo = (text: string): Either.Either<Uint8Array, string> => {
  const [, base64] = DATA_URL.exec(text) ?? []
  if (base64 === undefined) return Either.left("must be a data: URL of a PNG, JPEG or WebP picture, in base64")
  const bytes = new Uint8Array(Buffer.from(base64, "base64"))
  if (bytes.length > largestLogo) return Either.left(`is larger than ${largestLogo / 1024} KiB`)
  return logoType(bytes) === undefined ? Either.left("is not a PNG, JPEG or WebP picture") : Either.right(bytes)
}
