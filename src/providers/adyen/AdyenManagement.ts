/** Adyen's Management API: the webhook of the merchant account, and what it tells of the credential. */
import { Effect, Redacted, Schema } from "effect"
import { alsoTold, balanceText } from "../port/AccountTest.ts"
import { type Call, get, postJson } from "../client/ProviderHttp.ts"
import { optional, optionalText, objectReader } from "../client/WireValues.ts"
import type { AccountFacts } from "../port/Provider.ts"
import { registerWebhook, registryCalls } from "../port/WebhookRegistry.ts"
import { moneyIn } from "./AdyenCorridors.ts"

export const webhookEvents = [
  "AUTHORISATION",
  "CANCELLATION",
  "TECHNICAL_CANCEL",
  "CAPTURE_FAILED",
  "CAPTURE",
  "REFUND",
  "REFUND_FAILED",
  "CHARGEBACK",
  "CHARGEBACK_REVERSED",
  "SECOND_CHARGEBACK",
  "EXPIRE",
  "OFFER_CLOSED",
  "REFUNDED_REVERSED"
]

export const managementUrls = {
  sandbox: "https://management-test.adyen.com/v3",
  live: "https://management-live.adyen.com/v3"
}

const Webhook = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  type: Schema.String,
  active: Schema.Boolean,
  communicationFormat: Schema.String,
  additionalSettings: optional(Schema.Struct({ includeEventCodes: optional(Schema.Array(Schema.String)) }))
})
const readPage = objectReader({ data: optional(Schema.Array(Webhook)), pagesTotal: Schema.NumberFromString })
const readMade = objectReader({ id: Schema.String })
const readKey = objectReader({ hmacKey: Schema.String })

const MOST_PAGES = 20

export const adyenRegistration = (call: Call, merchantAccount: string, callbackUrl: string) => {
  const asked = registryCalls("Adyen", "the key needs the role Management API - Webhooks read and write", call)
  const path = `/merchants/${encodeURIComponent(merchantAccount)}/webhooks`
  const settings = (includeEventCodes: ReadonlyArray<string>) => ({ additionalSettings: { includeEventCodes } })

  const list = Effect.gen(function* () {
    const all: Array<typeof Webhook.Type> = []
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const { data = [], pagesTotal } = yield* asked(
        get("list webhooks", `${path}?pageNumber=${page}&pageSize=100`),
        readPage
      )
      all.push(...data)
      if (page >= pagesTotal) break
    }
    return all
      .filter(
        ({ active, communicationFormat, type }) => active && type === "standard" && communicationFormat === "json"
      )
      .map(({ additionalSettings, id, url }) => ({ id, url, events: additionalSettings?.includeEventCodes ?? [] }))
  })

  /** Adyen shows a key once. A further one replaces it. */
  const newKey = (id: string) =>
    Effect.map(
      asked({ operation: "make webhook key", method: "POST", path: `${path}/${id}/generateHmac` }, readKey),
      ({ hmacKey }) => ({ webhook_secret: Redacted.make(hmacKey) })
    )

  return registerWebhook({
    callbackUrl,
    events: webhookEvents,
    setting: "ADYEN_WEBHOOK_SECRET",
    hint: "A webhook of the company account is not listed there: leave it as it is.",
    list,
    create: Effect.gen(function* () {
      const webhook = {
        url: callbackUrl,
        type: "standard",
        active: true,
        communicationFormat: "json",
        description: "Corridor",
        ...(callbackUrl.startsWith("https://") ? {} : { encryptionProtocol: "HTTP" }),
        ...settings(webhookEvents)
      }
      const { id } = yield* asked(postJson("create webhook", path, webhook), readMade)
      return { id, credentials: yield* newKey(id) }
    }),
    setEvents: ({ id }, events) =>
      asked({ ...postJson("change webhook", `${path}/${id}`, settings(events)), method: "PATCH" }, readMade),
    secretOf: ({ id }, known) => (known === "none" ? newKey(id) : Effect.succeed({}))
  })
}

const readCredential = objectReader({
  username: Schema.String,
  companyName: optionalText,
  roles: Schema.Array(Schema.String)
})
const readBalances = objectReader({
  balances: optional(Schema.Array(Schema.Struct({ available: Schema.String, currency: Schema.String })))
})

/** `balanceAccount`: the call that reads it, where there is one. */
export const adyenFacts = (call: Call, balanceAccount: ReturnType<Call> | undefined): Effect.Effect<AccountFacts> =>
  Effect.gen(function* () {
    const credential = yield* alsoTold(call(get("read credential", "/me")), readCredential)
    const held = balanceAccount === undefined ? undefined : yield* alsoTold(balanceAccount, readBalances)
    return {
      ...(credential === undefined
        ? { note: "Adyen shows roles only to keys with a role of the Management API" }
        : { name: `${credential.companyName ?? ""} ${credential.username}`.trim(), rights: credential.roles }),
      ...(held && {
        balances: (held.balances ?? []).map(({ available, currency }) =>
          balanceText(moneyIn({ currency, value: available }), available, currency)
        )
      })
    }
  })
