/** Organisations: read by members, created and configured by platform admins. */
import { Schema } from "effect"
import { withoutCardNumber } from "../../domain/Card.ts"
import { limitAmount } from "./RequestFields.ts"
import { OrgId } from "../../domain/Ids.ts"
import { CountryCode } from "../../domain/Country.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { WireDecimal } from "../../domain/Decimal.ts"
import { EmailAddress, isBlank } from "../../domain/MailSafeText.ts"
import { Feature, kybStatuses } from "../../domain/Organization.ts"
import { get, patch, post, examples, operation, apiGroup, camelPageExample, exampleTimes } from "./Operation.ts"
import { CamelPageParams, camelPageOf, envelope, idOf, success, timestamps } from "./Envelope.ts"

const KybStatus = Schema.Literal(...kybStatuses).annotations({
  message: () => ({ message: `is not one of ${kybStatuses.join(", ")}`, override: true })
})

const LONGEST_NAME = 200

export const OrganizationName = Schema.Trim.pipe(
  Schema.filter(
    (name) => (name.length >= 1 && name.length <= LONGEST_NAME) || `is not a name of 1 to ${LONGEST_NAME} characters`
  ),
  Schema.filter((name) => !isBlank(name) || "is blank"),
  Schema.filter(withoutCardNumber)
).annotations({ jsonSchema: { type: "string", minLength: 1, maxLength: LONGEST_NAME } })

const threshold = "Payments from this amount on, in the organisation's currency, need a review; null: none"

export const Organization = Schema.Struct({
  org_id: idOf(OrgId),
  name: Schema.String,
  country: Schema.String,
  currency: Schema.String,
  email: Schema.String,
  kyb_status: KybStatus,
  kyb_customer_id: Schema.NullOr(Schema.String).annotations({ description: "The KYB provider's id of it" }),
  features: Schema.Array(Schema.String),
  review_threshold: Schema.NullOr(WireDecimal).annotations({ description: threshold }),
  spread_bps: Schema.optionalWith(Schema.Int, { exact: true }).annotations({
    description: "Extension, platform admins only. Basis points below the base rate"
  }),
  ...timestamps
}).annotations({ identifier: "Organization" })

const features = Schema.Array(Feature)

export const CreateOrganization = Schema.Struct({
  name: OrganizationName,
  country: CountryCode,
  currency: CurrencyCode,
  email: EmailAddress,
  features: Schema.optionalWith(features, { exact: true, default: () => [] }).annotations({
    description: "Extension. Initial features"
  })
}).annotations({ identifier: "CreateOrganization" })

/** Fields that can be changed. */
export const settable = {
  name: OrganizationName,
  country: CountryCode,
  email: EmailAddress,
  features: features.annotations({ description: "Platform admins only. All that are to be switched on" }),
  review_threshold: limitAmount(`Platform admins only. ${threshold}; 0: none`),
  kyb_status: KybStatus.annotations({ description: "Platform admins only" }),
  spread_bps: Schema.Int.pipe(Schema.between(0, 9999)).annotations({
    jsonSchema: {
      type: "integer",
      minimum: 0,
      maximum: 9999,
      description: "Extension, platform admins only. Basis points that rate lookups lie below the base rate"
    },
    message: () => ({ message: "is not a whole number from 0 to 9999", override: true })
  }),
  currency: CurrencyCode
}

export const ChangeOrganization = Schema.Struct(settable)
  .pipe(Schema.partialWith({ exact: true }))
  .annotations({ identifier: "ChangeOrganization" })

const example = {
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  name: "Acme Pay",
  country: "KE",
  currency: "KES",
  email: "hello@acme.example",
  kyb_status: "approved",
  kyb_customer_id: "kyb_0199c2a4",
  features: ["escrow"],
  review_threshold: 500000.5,
  ...exampleTimes
}

const forAdmins = { ...example, spread_bps: 50 }

/** Another organisation than the credential's own is 403, except for platform admins. */
export const OrganizationsApi = apiGroup(
  "organizations",
  "Organisations",
  "Who uses the service. Lists here call their cursor `lastEvaluatedKey`.",
  [
    operation({
      endpoint: get("list", "/organizations", CamelPageParams).addSuccess(camelPageOf(Organization)),
      access: "platform",
      lists: true,
      summary: "List organisations",
      description: "All of them, newest first.",
      response: camelPageExample("Organisations", [forAdmins])
    }),
    operation({
      endpoint: post("create", "/organizations")
        .setPayload(CreateOrganization)
        .addSuccess(envelope(Organization), { status: 201 }),
      access: "platform",
      summary: "Create an organisation",
      description:
        "A new organisation has no members: invite the first org-admin with `POST /organizations/{org_id}/members`. `currency` is its home currency and immutable.",
      request: examples({
        "With nothing switched on": {
          name: "Acme Pay",
          country: "KE",
          currency: "KES",
          email: "hello@acme.example"
        },
        "With escrow from the start": {
          ...{ name: "Acme Pay", country: "KE", currency: "KES", email: "hello@acme.example" },
          features: ["escrow"]
        }
      }),
      response: success("Organisation created", {
        ...forAdmins,
        kyb_status: "not_started",
        kyb_customer_id: null,
        features: [],
        review_threshold: null,
        spread_bps: 0
      })
    }),
    operation({
      endpoint: get("get", "/organizations/:org_id").addSuccess(envelope(Organization)),
      access: "any",
      summary: "Read an organisation",
      description: "The credential's own; any other is 403.",
      response: examples({
        "To its own people": success("Organisation", example),
        "To a platform admin": success("Organisation", forAdmins)
      })
    }),
    operation({
      endpoint: patch("change", "/organizations/:org_id")
        .setPayload(ChangeOrganization)
        .addSuccess(envelope(Organization)),
      access: "organization",
      summary: "Change an organisation",
      description:
        "Changes only the fields that are sent, at once and on every instance. An org-admin may set `name`, `email` and `country`; other fields need a platform admin, otherwise 403. Another `currency` is rejected. A `kyb_status` of `approved` or `rejected` sends the event of that name.",
      request: examples({
        "By an org-admin": { name: "Acme Pay Kenya", email: "finance@acme.example" },
        "By a platform admin": { features: ["escrow"], review_threshold: 500000.5, spread_bps: 50 },
        "No more reviews": { review_threshold: null }
      }),
      response: success("Organisation changed", {
        ...example,
        name: "Acme Pay Kenya",
        email: "finance@acme.example",
        updated_at: "2026-03-02T10:00:00.000Z"
      })
    })
  ]
)
