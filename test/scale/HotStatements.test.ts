/**
 * Every statement of a payment's life names the organisation, so that it stays on one shard, or is an exception in
 * docs/scale.md.
 */
import { readFileSync } from "node:fs"
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import pg from "pg"
import { startWorkers } from "../../src/app/BackgroundWorkers.ts"
import { post } from "../support/Send.ts"
import { eventually, recordOf, untilStatus } from "../payments/support/PaymentCalls.ts"
import { byPhone } from "../payments/support/Requests.ts"
import { people } from "../support/TestCredentials.ts"
import { isOfTests } from "../support/OwnDatabase.ts"
import { onDatabaseServer } from "../support/TestServer.ts"

const statements = new Set<string>()

const textIn = ([query]: ReadonlyArray<unknown>): string =>
  typeof query === "string" ? query : ((query as { readonly text?: string }).text ?? "")

const asSent = pg.Client.prototype.query as (...given: ReadonlyArray<unknown>) => unknown
pg.Client.prototype.query = function (this: pg.Client, ...given: ReadonlyArray<unknown>) {
  const text = textIn(given).replaceAll(/\s+/g, " ").trim()
  if (!isOfTests(this) && /^(select|with|insert|update|delete)\b/i.test(text)) statements.add(text)
  return asSent.apply(this, [...given])
} as typeof pg.Client.prototype.query

/** Tables in a marked part of the page. */
const tablesIn = (page: string, mark: string): ReadonlyArray<string> => {
  const part = page.split(`<!-- ${mark} -->`)[1]?.split("<!--")[0] ?? ""
  return Array.from(part.matchAll(/`([a-z_]+)`/g), ([, name]) => name!)
}

/** Beginnings of the statements that the page excepts. */
const exceptionsIn = (page: string): ReadonlyArray<string> => {
  const part = page.split("<!-- crossing -->")[1] ?? ""
  return Array.from(part.matchAll(/^\| `([^`]+)`/gm), ([, text]) => text!)
}

/** Whether a statement goes through all organisations. */
const walks = (text: string): boolean => /\bowners as \(/.test(text)

/** In a condition or an inserted column; reading it from another row is not enough. */
const carriesOrganization = (text: string): boolean =>
  (!walks(text) && /\borg_id (=|>|in\b)|= \w+\.org(_id)?\b|\borg(_id)? uuid\b/.test(text)) ||
  /^insert into \w+ \([^)]*\borg_id\b/.test(text.replaceAll('"', ""))

onDatabaseServer("Every hot statement", (it) => {
  it.scoped("carries the organisation, or is named in docs/scale.md", () =>
    Effect.gen(function* () {
      const page = readFileSync("docs/scale.md", "utf8")
      const spread = tablesIn(page, "spread")
      const { acme } = yield* people
      const endpoint = { endpoint_url: "https://hooks.example.com/in", events: ["*"] }
      expect((yield* post("/v1/public/webhooks", { ...acme.key }, endpoint)).status).toBeLessThan(300)
      statements.clear()
      yield* startWorkers
      const headers = { ...acme.key, "idempotency-key": randomUUID() }
      const answer = yield* post("/v1/payments-init/initiate", headers, byPhone())
      const { response } = JSON.parse(answer.text) as { readonly response: { readonly payment_id: string } }
      yield* untilStatus(response.payment_id, "completed")
      yield* recordOf(response.payment_id)
      const touching = () =>
        Array.from(statements).filter((text) =>
          spread.some((table) => new RegExp(`\\b(from|join|into|update) ${table}(_default)?\\b`).test(text))
        )
      const without = () => touching().filter((text) => !carriesOrganization(text))
      const exceptions = exceptionsIn(page)
      // Workers poll soon after their start.
      const unseen = Effect.sync(() => exceptions.filter((one) => !without().some((text) => text.includes(one))))
      yield* eventually(unseen, (left) => left.length === 0)
      expect(touching().length).toBeGreaterThan(exceptions.length + 5)
      expect(without().filter((text) => !exceptions.some((one) => text.includes(one)))).toEqual([])
    })
  )

  it.effect("reads fee rules and configurations only after a change", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const pay = post("/v1/payments-init/initiate", { ...acme.key }, byPhone())
      const asked = Effect.gen(function* () {
        statements.clear()
        expect((yield* pay).status).toBe(200)
        return Array.from(statements).filter((text) => /\b(from|join) (fee_rules|provider_configs|terms)\b/.test(text))
      })
      yield* asked
      expect(yield* asked, "with the key").toEqual([expect.stringMatching(/from terms .* from api_keys/)])
    })
  )
})
