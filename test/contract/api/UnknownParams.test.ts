/** Every list refuses a query parameter that it does not know, and names it. */
import { HttpApi } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../../../src/contract/api/Api.ts"
import { people } from "../../support/TestCredentials.ts"
import { refusedFields } from "../../support/RefusedFields.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { examplesOf, fetchDocument, operationsOf } from "./DocumentedOperations.ts"

/** Lists by their answer, not by the server's mark: operations whose `data` is an array. */
const lists = Effect.map(fetchDocument, (document) =>
  operationsOf(document).filter(
    ({ about, method }) =>
      method === "GET" &&
      examplesOf(about.responses["200"]).some((example) => Array.isArray((example as { readonly data?: unknown }).data))
  )
)

/**
 * One row for each provider, of which there are no more than the code names; and one for each account at a provider, in each
 * currency: sums of one moment, which a page would compute anew. Rules, fees and saved views have a limit of rows.
 */
const withoutPages = new Set([
  "GET /fees",
  "GET /payments/providers",
  "GET /saved-views",
  "GET /payments/provider-health",
  "GET /payments/providers",
  "GET /ledger/balances",
  "GET /organizations/{org_id}/rules",
  "GET /rules",
  "GET /fees",
  "GET /saved-views"
])

const declared = (() => {
  let count = 0
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => void (count += Number(endpoint.method === "GET"))
  })
  return count
})()

onDatabaseServer("Lists", (it) => {
  it.effect("refuse a parameter that they do not know, and take org_id and user_id", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const all = yield* lists
      expect(all.length).toBeGreaterThan(15)
      expect(all.length).toBeLessThan(declared)
      for (const { about, name, path } of all) {
        const address = `/v1${path.replace("{org_id}", acme.org_id).replace(/\{\w+\}/g, acme.org_id)}`
        const camel = about.parameters?.some((one) => one.name === "lastEvaluatedKey") === true
        const wrongCursor = camel ? "last_evaluated_key" : "lastEvaluatedKey"
        for (const unknown of ["colour", "Limit", "limit[]", "__proto__", "constructor", wrongCursor]) {
          const answer = yield* send(`${address}?${encodeURIComponent(unknown)}=1`, { headers: { ...admin } })
          expect(answer.status, `${name} with ${unknown}`).toBe(400)
          const { message } = bodyOf(answer) as { readonly message: string }
          expect(message.startsWith(`${unknown}: is no parameter of this list`), `${name}: ${message}`).toBe(true)
          expect(message).toContain("org_id")
        }
        const known = yield* send(`${address}?org_id=${acme.org_id}&user_id=${acme.userId("org-admin")}`, {
          headers: { ...admin }
        })
        expect([200, 404], `${name}: ${known.text}`).toContain(known.status)
        const limits = about.parameters?.some((one) => one.name === "limit")
        expect(limits, `${name} has pages`).toBe(!withoutPages.has(name))
      }
    })
  )

  it.effect("refuse it also where they are part of a report", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const path of ["balances", "balances/trends", "reserves", "trends"]) {
        const answer = yield* send(`/v1/organizations/${acme.org_id}/${path}?colour=1`, { headers: { ...acme.key } })
        expect(refusedFields(answer), path).toEqual([400, "colour"])
      }
    })
  )
})
