/** The fake's account as its owner sees it: name, balance, webhook endpoints. */
import type { FakeRoute } from "./Fake.ts"
import { credentials, formIn, missing, ok, wrong } from "./StripeFakeForms.ts"
import { idOf } from "./StripeFakeIntents.ts"

const account = {
  id: "acct_1Fake",
  object: "account",
  business_profile: { name: "Corridor" },
  charges_enabled: true,
  payouts_enabled: true,
  settings: { dashboard: { display_name: "Corridor" } }
}

const balance = {
  object: "balance",
  available: [{ amount: 100_000_000, currency: "usd", source_types: { card: 100_000_000 } }],
  livemode: false,
  pending: []
}

/** Endpoints that were registered. Callbacks go to the address that the fake was started with, by one secret. */
export const accountRoutes = (): ReadonlyArray<FakeRoute> => {
  const endpoints = new Map<string, { readonly url: string; enabled_events: ReadonlyArray<unknown> }>()
  const path = "/v1/webhook_endpoints"
  const eventsIn = (body: string) => {
    const { enabled_events } = formIn(body)
    return typeof enabled_events === "object" && enabled_events !== null ? Object.values(enabled_events) : []
  }
  const shown = (id: string) => ({
    id,
    object: "webhook_endpoint",
    livemode: false,
    status: "enabled",
    ...endpoints.get(id)
  })
  return [
    { method: "GET", path: "/v1/account", answer: () => ok(account) },
    { method: "GET", path: "/v1/balance", answer: () => ok(balance) },
    { method: "GET", path, answer: () => ok({ object: "list", data: [...endpoints.keys()].map(shown) }) },
    {
      method: "POST",
      path,
      answer: ({ body }) => {
        const { url } = formIn(body)
        const enabled_events = eventsIn(body)
        if (typeof url !== "string" || enabled_events.length === 0)
          return wrong(400, "url and enabled_events are required.")
        const id = idOf("we", `${url} ${endpoints.size}`)
        endpoints.set(id, { url, enabled_events })
        return ok({ ...shown(id), secret: credentials.webhook_secret })
      }
    },
    {
      method: "POST",
      path: `${path}/:id`,
      answer: ({ body, params }) => {
        const endpoint = endpoints.get(params["id"] ?? "")
        if (endpoint === undefined) return missing(params["id"] ?? "")
        endpoint.enabled_events = eventsIn(body)
        return ok(shown(params["id"] ?? ""))
      }
    }
  ]
}
