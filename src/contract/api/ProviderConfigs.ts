/** Provider configurations: which provider serves which corridor, for whom and in which order. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { BigDecimal, Schema } from "effect"
import { ConfigId, OrgId } from "../../domain/Identifiers.ts"
import { Flow, flows, PaymentMethod, paymentMethods, ProviderName, providerNames } from "../../domain/Corridor.ts"
import { CountryCode } from "../../domain/Country.ts"
import { AmountInput, MONEY, WireDecimal } from "../../domain/Decimal.ts"
import { envelope, idOf, idParam, pageOf, PageParams, Timestamp } from "./Envelope.ts"
import { NotFound } from "./Errors.ts"
import { operation } from "./Operation.ts"
import { text } from "./Text.ts"

const oneOf = (values: ReadonlyArray<string>) => () => ({
  message: `is not one of ${values.join(", ")}`,
  override: true
})

const corridorFields = {
  provider: ProviderName.annotations({ message: oneOf(providerNames) }),
  country: CountryCode,
  payment_method: PaymentMethod.annotations({ message: oneOf(paymentMethods) }),
  direction: Flow.annotations({ message: oneOf(flows) })
}

const limit = "In the currency of the payment, on the provider's side of it; null is no limit"

export const ProviderConfig = Schema.Struct({
  config_id: idOf(ConfigId),
  ...corridorFields,
  api_version: Schema.NullOr(Schema.String),
  priority: Schema.Int.annotations({ description: "The lower number is asked first" }),
  is_active: Schema.Boolean,
  webhook_required: Schema.Boolean,
  org_id: Schema.NullOr(idOf(OrgId)).annotations({ description: "The organisation it is for; null is all of them" }),
  min_amount: Schema.NullOr(WireDecimal).annotations({ description: limit }),
  max_amount: Schema.NullOr(WireDecimal).annotations({ description: limit }),
  description: Schema.NullOr(Schema.String),
  webhook_url: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotations({ identifier: "ProviderConfig" })

const Zero = Schema.transform(Schema.Literal(0), Schema.BigDecimalFromSelf, {
  strict: true,
  decode: () => BigDecimal.fromBigInt(0n),
  encode: () => 0 as const
})

const Limit = Schema.NullOr(
  Schema.Union(AmountInput, Zero).annotations({ jsonSchema: { type: "number", format: MONEY, minimum: 0 } })
).annotations({
  description: limit,
  message: () => ({ message: "is not a JSON number from 0 up, of at most 15 significant digits", override: true })
})

const settings = {
  api_version: Schema.NullOr(text(50, "The version of the provider's API, where it has several")),
  priority: Schema.Int.pipe(Schema.between(0, 10_000)).annotations({
    jsonSchema: {
      type: "integer",
      minimum: 0,
      maximum: 10_000,
      description: "The lower number is asked first; 100 unless said otherwise"
    },
    message: () => ({ message: "is not a whole number from 0 to 10000", override: true })
  }),
  is_active: Schema.Boolean.annotations({ description: "Whether payments are routed by it" }),
  webhook_required: Schema.Boolean.annotations({ description: "Whether the provider is to call back" }),
  org_id: Schema.NullOr(Schema.String).annotations({ description: "An organisation that exists; null is all of them" }),
  min_amount: Limit,
  max_amount: Limit,
  description: Schema.NullOr(text(500, "For whoever reads the list")),
  webhook_url: Schema.NullOr(text(2048, "Absolute https; http to the machine itself in sandbox mode"))
}

const orNull = <A, I>(schema: Schema.Schema<A | null, I | null>) =>
  Schema.optionalWith(schema, { exact: true, default: () => null })

export const CreateProviderConfig = Schema.Struct({
  ...corridorFields,
  api_version: orNull(settings.api_version),
  priority: Schema.optionalWith(settings.priority, { exact: true, default: () => 100 }),
  is_active: Schema.optionalWith(settings.is_active, { exact: true, default: () => true }),
  webhook_required: Schema.optionalWith(settings.webhook_required, { exact: true, default: () => false }),
  org_id: orNull(settings.org_id),
  min_amount: orNull(settings.min_amount),
  max_amount: orNull(settings.max_amount),
  description: orNull(settings.description),
  webhook_url: orNull(settings.webhook_url)
}).annotations({ identifier: "CreateProviderConfig" })

export const UpdateProviderConfig = Schema.Struct({ ...corridorFields, ...settings })
  .pipe(Schema.partialWith({ exact: true }))
  .annotations({ identifier: "UpdateProviderConfig" })

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const example = {
  config_id: "0199c2a4-9e30-7d18-a7b2-4c5d6e7f8091",
  provider: "pawapay",
  country: "KE",
  payment_method: "mobile_money",
  direction: "inbound",
  api_version: null,
  priority: 10,
  is_active: true,
  webhook_required: false,
  org_id: null,
  min_amount: 10.5,
  max_amount: 150000.5,
  description: "Kenyan wallets, first choice",
  webhook_url: null,
  created_at: "2026-03-02T09:15:00.000Z",
  updated_at: "2026-03-02T09:15:00.000Z"
}

const ConfigPath = Schema.Struct({ provider: Schema.String, config_id: idParam(ConfigId) })

export const ProviderConfigsApi = HttpApiGroup.make("providerConfigs")
  .add(
    HttpApiEndpoint.get("list", "/payments/provider-configs")
      .setUrlParams(
        Schema.Struct({
          provider: maybe(corridorFields.provider),
          country: maybe(corridorFields.country),
          payment_method: maybe(corridorFields.payment_method),
          direction: maybe(corridorFields.direction),
          org_id: maybe(
            Schema.String.annotations({ description: "Only the configurations scoped to this organisation" })
          ),
          ...PageParams
        })
      )
      .addSuccess(pageOf(ProviderConfig))
      .addError(NotFound)
      .pipe(
        operation({
          access: "platform",
          summary: "List provider configurations",
          description: "Newest first: global ones and those of every organisation, unless `org_id` names one.",
          response: {
            status: "success",
            message: "Provider configurations",
            data: [example],
            meta: { count: 1, has_more: false, last_evaluated_key: null },
            last_evaluated_key: null
          }
        })
      )
  )
  .add(
    HttpApiEndpoint.post("create", "/payments/provider-configs")
      .setPayload(CreateProviderConfig)
      .addSuccess(envelope(ProviderConfig), { status: 201 })
      .addError(NotFound)
      .pipe(
        operation({
          access: "platform",
          summary: "Add a provider to a corridor",
          description:
            "Payments of the corridor (country, method, direction) are offered to its providers one after the other: those of the organisation itself first, then by `priority`, then by age. One provider may have several configurations in a corridor, one for each band of amounts.",
          request: {
            provider: "pawapay",
            country: "KE",
            payment_method: "mobile_money",
            direction: "inbound",
            priority: 10,
            min_amount: 10.5,
            max_amount: 150000.5,
            description: "Kenyan wallets, first choice"
          },
          response: { status: "success", message: "Provider configuration created", data: example }
        })
      )
  )
  .add(
    HttpApiEndpoint.get("find", "/payments/provider-configs/:provider/:config_id")
      .setPath(ConfigPath)
      .addSuccess(ProviderConfig)
      .addError(NotFound)
      .pipe(
        operation({
          access: "platform",
          summary: "Read a provider configuration",
          description: "The configuration itself, without an envelope.",
          response: example
        })
      )
  )
  .add(
    HttpApiEndpoint.patch("update", "/payments/provider-configs/:provider/:config_id")
      .setPath(ConfigPath)
      .setPayload(UpdateProviderConfig)
      .addSuccess(envelope(ProviderConfig))
      .addError(NotFound)
      .pipe(
        operation({
          access: "platform",
          summary: "Change a provider configuration",
          description:
            "Only the fields that are sent change; null clears one. The provider itself cannot change. Holds from the next payment on.",
          request: { priority: 20, is_active: false },
          response: {
            status: "success",
            message: "Provider configuration updated",
            data: { ...example, priority: 20, is_active: false, updated_at: "2026-03-02T10:00:00.000Z" }
          }
        })
      )
  )
  .add(
    HttpApiEndpoint.del("remove", "/payments/provider-configs/:provider/:config_id")
      .setPath(ConfigPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(NotFound)
      .pipe(
        operation({
          access: "platform",
          summary: "Remove a provider from a corridor",
          description: "Payments that it already serves are seen to their end."
        })
      )
  )
  .annotate(OpenApi.Title, "Provider configurations")
  .annotate(OpenApi.Description, "Which provider serves which corridor.")
