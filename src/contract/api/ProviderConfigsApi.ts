/** Provider configurations: which provider serves which corridor, for whom and in which order. */
import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { ConfigId, OrgId } from "../../domain/Ids.ts"
import { Flow, flows, PaymentMethod, paymentMethods, ProviderName, providerNames } from "../../domain/Corridor.ts"
import { CountryCode } from "../../domain/Country.ts"
import { WireDecimal } from "../../domain/Decimal.ts"
import { del, get, patch, post, put, examples, operation, apiGroup, pageExample, exampleTimes } from "./Operation.ts"
import { envelope, idOf, pageOf, PageParams, Timestamp, success, optionalExact, timestamps } from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { text, limitAmount } from "./RequestFields.ts"

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

const limit = "In the payment's currency at the provider; null: no limit"

export const ProviderConfig = Schema.Struct({
  config_id: idOf(ConfigId),
  ...corridorFields,
  api_version: Schema.NullOr(Schema.String),
  priority: Schema.Int.annotations({ description: "The lowest is tried first" }),
  is_active: Schema.Boolean,
  webhook_required: Schema.Boolean,
  org_id: Schema.NullOr(idOf(OrgId)).annotations({ description: "null: all organisations" }),
  min_amount: Schema.NullOr(WireDecimal).annotations({ description: limit }),
  max_amount: Schema.NullOr(WireDecimal).annotations({ description: limit }),
  description: Schema.NullOr(Schema.String),
  webhook_url: Schema.NullOr(Schema.String),
  has_credentials: Schema.Boolean.annotations({
    description: "Extension. Has its own account at the provider; otherwise uses the platform's"
  }),
  credentials_tested_at: Schema.NullOr(Timestamp).annotations({
    description: "Extension. Last passed test; null: not routed"
  }),
  ...timestamps
}).annotations({ identifier: "ProviderConfig" })

const settings = {
  api_version: Schema.NullOr(text(50, "The version of the provider's API, where it has several")),
  priority: Schema.Int.pipe(Schema.between(0, 10_000)).annotations({
    jsonSchema: {
      type: "integer",
      minimum: 0,
      maximum: 10_000,
      description: "The lowest is tried first; default: 100"
    },
    message: () => ({ message: "is not a whole number from 0 to 10000", override: true })
  }),
  is_active: Schema.Boolean.annotations({ description: "Whether payments are routed by it" }),
  webhook_required: Schema.Boolean.annotations({ description: "Whether the provider must send callbacks" }),
  org_id: Schema.NullOr(Schema.String).annotations({ description: "An existing organisation; null: all" }),
  min_amount: limitAmount(limit),
  max_amount: limitAmount(limit),
  description: Schema.NullOr(text(500, "Description shown in the list")),
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
  has_credentials: false,
  credentials_tested_at: null,
  ...exampleTimes
}

/** Names of the credentials that are set; their values are never returned. */
export const CredentialsState = Schema.Struct({
  config_id: idOf(ConfigId),
  provider: ProviderName,
  fields: Schema.Array(Schema.String).annotations({ description: "The names of the fields that are set" }),
  tested: Schema.Boolean.annotations({ description: "Passed the test; payments are routed" }),
  test_message: Schema.String.annotations({ description: "Result of the test" }),
  updated_at: Timestamp
}).annotations({ identifier: "CredentialsState" })

export const SetCredentials = Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
  identifier: "SetCredentials",
  description: "The provider's fields by name, each with its value, of at most 8 KiB"
})

const names = Schema.Array(Schema.String)

export const ProviderSetup = Schema.Struct({
  provider: ProviderName,
  is_set: Schema.Boolean.annotations({ description: "The platform has an account there" }),
  keys: names.annotations({ description: "Keys to make at the provider, and their rights" }),
  settings: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      state: Schema.Literal("set", "stored", "optional", "missing").annotations({
        description: "`stored`: by `corridor providers setup`; `optional`: not set, and not needed"
      }),
      about: Schema.String
    })
  ),
  callback_url: Schema.String,
  callbacks: Schema.NullOr(
    Schema.Struct({
      at: Schema.String.annotations({ description: "Where it is entered at the provider" }),
      events: names.annotations({ description: "To subscribe to; empty: no choice" }),
      secrets: names.annotations({ description: "Settings for its secret or id" })
    })
  ).annotations({ description: "null: every order names the address" }),
  registers: Schema.NullOr(Schema.String).annotations({
    description: "What `corridor providers setup` registers there; null: enter it by hand"
  })
}).annotations({ identifier: "ProviderSetup" })

const setupExample = {
  provider: "paystack",
  is_set: true,
  keys: ["Secret key: Settings, API Keys & Webhooks"],
  settings: [{ name: "PAYSTACK_SECRET_KEY", state: "set", about: "The secret key of the account." }],
  callback_url: "https://pay.example.com/callbacks/paystack",
  callbacks: { at: "Settings, API Keys & Webhooks", events: [], secrets: [] },
  registers: null
}

const toldOrNull = Schema.NullOr(names).annotations({ description: "null: the provider does not tell" })

export const ProviderCheck = Schema.Struct({
  provider: ProviderName,
  account: Schema.String.annotations({ description: "`platform`, or the configuration that brings the account" }),
  passed: Schema.Boolean,
  mode: Schema.NullOr(Schema.Literal("test", "live")),
  name: Schema.NullOr(Schema.String),
  balances: toldOrNull,
  rights: toldOrNull,
  message: Schema.String.annotations({ description: "Words of the provider" })
}).annotations({ identifier: "ProviderCheck" })

export const ProviderConfigsApi = apiGroup(
  "providerConfigs",
  "Provider configurations",
  "Which provider serves which corridor.",
  [
    operation({
      endpoint: get("list", "/payments/provider-configs", {
        provider: optionalExact(corridorFields.provider),
        country: optionalExact(corridorFields.country),
        payment_method: optionalExact(corridorFields.payment_method),
        direction: optionalExact(corridorFields.direction),
        org_id: optionalExact(
          Schema.String.annotations({ description: "Only the configurations scoped to this organisation" })
        ),
        ...PageParams
      }).addSuccess(pageOf(ProviderConfig)),
      access: "platform",
      lists: true,
      summary: "List provider configurations",
      description: "Newest first: global ones and those of every organisation, unless `org_id` names one.",
      response: pageExample("Provider configurations", [example])
    }),
    operation({
      endpoint: post("create", "/payments/provider-configs")
        .setPayload(CreateProviderConfig)
        .addSuccess(envelope(ProviderConfig), { status: 201 }),
      access: "platform",
      summary: "Add a provider to a corridor",
      description:
        "Payments of the corridor (country, method, direction) try its providers in order: the organisation's own first, then by `priority`, then by age. A provider may have several configurations in a corridor, for different ranges of amounts.",
      request: examples({
        "For everybody, within limits": {
          provider: "pawapay",
          country: "KE",
          payment_method: "mobile_money",
          direction: "inbound",
          priority: 10,
          min_amount: 10.5,
          max_amount: 150000.5,
          description: "Kenyan wallets, first choice"
        },
        "For one organisation": {
          provider: "stripe",
          country: "US",
          payment_method: "card",
          direction: "inbound",
          org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f"
        },
        "Switched off at first": {
          provider: "flutterwave",
          country: "NG",
          payment_method: "bank_transfer",
          direction: "outbound",
          is_active: false
        }
      }),
      response: success("Provider configuration created", example)
    }),
    operation({
      endpoint: get("find", "/payments/provider-configs/:provider/:config_id").addSuccess(ProviderConfig),
      access: "platform",
      summary: "Read a provider configuration",
      description: "The configuration itself, without an envelope.",
      response: examples({
        "Through the platform's account": example,
        "Through an account of its own": {
          ...example,
          has_credentials: true,
          credentials_tested_at: "2026-03-02T09:20:00.000Z"
        }
      })
    }),
    operation({
      endpoint: patch("update", "/payments/provider-configs/:provider/:config_id")
        .setPayload(UpdateProviderConfig)
        .addSuccess(envelope(ProviderConfig)),
      access: "platform",
      summary: "Change a provider configuration",
      description:
        "Changes only the fields that are sent; null clears one. The provider cannot change, nor the organisation once credentials are set. Takes effect with the next payment.",
      request: examples({
        "Later, and off": { priority: 20, is_active: false },
        "Other limits": { min_amount: null, max_amount: 70000.5 }
      }),
      response: success("Provider configuration updated", {
        ...example,
        priority: 20,
        is_active: false,
        updated_at: "2026-03-02T10:00:00.000Z"
      })
    }),
    operation({
      endpoint: put("setCredentials", "/payments/provider-configs/:provider/:config_id/credentials")
        .setUrlParams(
          Schema.Struct({
            forget_replaced: Schema.optionalWith(
              Schema.BooleanFromString.annotations({
                jsonSchema: {
                  type: "boolean",
                  description: "Whether callbacks that are signed with replaced secrets are refused from now on"
                }
              }),
              { exact: true, default: () => false }
            )
          })
        )
        .setPayload(SetCredentials)
        .addSuccess(envelope(CredentialsState))
        .addError(Conflict),
      access: "platform",
      summary: "Set a provider configuration's credentials",
      description:
        "Extension. Gives the configuration its own account at the provider: its payments use only this account, never the platform's. If the configuration is for one organisation, so is the account. Money collected there has separate ledger accounts and is never paid out from the platform's accounts; withdrawals from virtual accounts, escrow payouts and ramps do not use it. The body has all fields that the provider needs, by name. They are stored encrypted and never shown again.\n\nThe credentials are tested at once by a harmless call to the provider. If the test passes, they are used from the next payment on. If it fails and working credentials are set, the answer is 409 and those stay in use. Otherwise they are stored, and the configuration is not routed until `corridor providers test CONFIG_ID` passes or others are set. Setting the same credentials again only tests them.\n\nCallbacks signed with a replaced secret are accepted for 24 hours, for the last eight secrets; `forget_replaced=true` ends this at once, for a leaked secret.\n\nPayments sent through an account are polled, refunded and called back through it, also after the configuration is removed. Its credentials can still be changed then; it is not routed. The credentials of the platform's own account are 400. Callbacks of the account are expected at `/callbacks/{provider}/{config_id}`.",
      request: examples({
        pawaPay: { api_token: "eyJraWQiOiIxIiwiYWxnIjoiRVMyNTYifQ.eyJ0dCI6IkFBVCJ9.c2lnbmF0dXJl" },
        Paystack: { secret_key: "sk_test_0123456789abcdef" }
      }),
      response: success("Credentials set", {
        config_id: "0199c2a4-9e30-7d18-a7b2-4c5d6e7f8091",
        provider: "pawapay",
        fields: ["api_token"],
        tested: true,
        test_message: "It took the token.",
        updated_at: "2026-03-02T09:20:00.000Z"
      })
    }),
    operation({
      endpoint: get("setups", "/payments/providers").addSuccess(envelope(Schema.Array(ProviderSetup))),
      access: "platform",
      lists: true,
      summary: "List what providers need",
      description:
        "Extension. For each provider: keys to make, settings and whether they are set (never their values), and the callback address to enter there.",
      response: examples({
        "One is set up": success("Providers", [setupExample]),
        "None is set up yet": success("Providers", [
          { ...setupExample, is_set: false, settings: [{ ...setupExample.settings[0], state: "missing" }] }
        ])
      })
    }),
    operation({
      endpoint: post("test", "/payments/providers/:provider/test")
        .addSuccess(envelope(ProviderCheck))
        .addError(Conflict),
      access: "platform",
      summary: "Test the platform's account at a provider",
      description:
        "Extension. A call that moves nothing. Answers also if the account fails the test. 409 without an account.",
      response: examples({
        Passed: success("Provider tested", {
          provider: "paystack",
          account: "platform",
          passed: true,
          mode: "test",
          name: "Acme Pay",
          balances: ["1500.50 NGN"],
          rights: null,
          message: ""
        }),
        Failed: success("Provider tested", {
          provider: "paystack",
          account: "platform",
          passed: false,
          mode: "test",
          name: null,
          balances: null,
          rights: null,
          message: "Invalid key"
        })
      })
    }),
    operation({
      endpoint: del("remove", "/payments/provider-configs/:provider/:config_id").addSuccess(HttpApiSchema.NoContent),
      access: "platform",
      summary: "Remove a provider from a corridor",
      description:
        "Payments in progress are completed, through its own account if it has one. Its credentials are kept for them."
    })
  ]
)
