/** The fake's Management API, and the balance account of its balance platform. */
import { Either, Schema } from "effect"
import { authorizedBy, type FakeReply, type FakeRequest, type FakeRoute } from "./Fake.ts"
import { credentials, taken, transferError } from "./AdyenFakeBodies.ts"

const Events = Schema.Struct({ includeEventCodes: Schema.Array(Schema.String.pipe(Schema.pattern(/^[A-Z_]+$/))) })

export const NewWebhook = Schema.Struct({
  url: Schema.String.pipe(Schema.pattern(/^https?:\/\//)),
  type: Schema.Literal("standard"),
  active: Schema.Boolean,
  communicationFormat: Schema.Literal("http", "json", "soap"),
  description: Schema.optional(Schema.String),
  encryptionProtocol: Schema.optional(Schema.Literal("HTTP", "TLSv1.2", "TLSv1.3")),
  additionalSettings: Schema.optional(Events)
})

export const ChangedWebhook = Schema.partial(NewWebhook.omit("type"))

const newWebhook = taken(NewWebhook, transferError)
const changedWebhook = taken(ChangedWebhook, transferError)

const notFound = transferError(404, "00_404", "The webhook was not found.")
const guarded = (key: string) =>
  authorizedBy(({ headers }) => headers["x-api-key"] === key, transferError(401, "00_401", "Unauthorized"))

/** Callbacks are signed with one key, which is generated each time. */
export const management = (): ReadonlyArray<FakeRoute> => {
  const managed = guarded(credentials.management_api_key)
  const webhooks = new Map<string, typeof NewWebhook.Type>()
  const path = `/management/v3/merchants/${credentials.merchant_account}/webhooks`
  const shown = (id: string) => ({ id, ...webhooks.get(id), hasError: false, hasPassword: false })

  const create = ({ body }: FakeRequest): FakeReply =>
    Either.merge(
      Either.map(newWebhook(body), (webhook) => {
        if (webhook.url.startsWith("http://") && webhook.encryptionProtocol !== "HTTP") {
          return transferError(422, "31_002", "The protocol does not fit the URL.")
        }
        const id = `S2-${webhooks.size + 1}`
        webhooks.set(id, webhook)
        return { status: 200, body: shown(id) }
      })
    )

  const change = ({ body, params: { id = "" } }: FakeRequest): FakeReply =>
    Either.merge(
      Either.map(changedWebhook(body), (changed) => {
        const webhook = webhooks.get(id)
        if (webhook === undefined) return notFound
        webhooks.set(id, { ...webhook, ...changed } as typeof NewWebhook.Type)
        return { status: 200, body: shown(id) }
      })
    )

  const list = ({ query }: FakeRequest): FakeReply => {
    const size = Number(query.get("pageSize") ?? "10")
    const from = (Number(query.get("pageNumber") ?? "1") - 1) * size
    const all = [...webhooks.keys()]
    const counts = { itemsTotal: all.length, pagesTotal: Math.max(1, Math.ceil(all.length / size)) }
    return { status: 200, body: { ...counts, data: all.slice(from, from + size).map(shown) } }
  }

  const credential = {
    id: "S2-credential",
    username: "ws@Company.CorridorFake",
    clientKey: "test_corridor",
    companyName: "CorridorFake",
    active: true,
    allowedIpAddresses: [],
    roles: ["Checkout webservice role", "Management API - Webhooks read and write"]
  }

  return [
    { method: "GET", path: "/management/v3/me", answer: managed(() => ({ status: 200, body: credential })) },
    { method: "GET", path, answer: managed(list) },
    { method: "POST", path, answer: managed(create) },
    { method: "PATCH", path: `${path}/:id`, answer: managed(change) },
    {
      method: "POST",
      path: `${path}/:id/generateHmac`,
      answer: managed(({ params }) =>
        webhooks.has(params["id"] ?? "") ? { status: 200, body: { hmacKey: credentials.webhook_secret } } : notFound
      )
    },
    {
      method: "GET",
      path: "/bcl/v2/balanceAccounts/:id",
      answer: guarded(credentials.transfers_api_key)(({ params }) =>
        params["id"] === credentials.balance_account
          ? {
              status: 200,
              body: {
                id: credentials.balance_account,
                accountHolderId: "AH00000000000000000000001",
                status: "active",
                balances: [{ currency: "EUR", available: 100_000_000, balance: 100_000_000, reserved: 0 }]
              }
            }
          : notFound
      )
    }
  ]
}
