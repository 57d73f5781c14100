/** `GET /transactions?search=`: what it finds, whose, what it refuses, and its pages. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { get, jsonOf } from "../support/PaymentCalls.ts"
import { newPayment, shillings } from "../support/NewPayment.ts"

interface Found {
  readonly data: ReadonlyArray<{ readonly payment_id: string; readonly client_reference: string | null }>
  readonly meta: { readonly has_more: boolean; readonly searched_to: string | null }
  readonly last_evaluated_key: string | null
}

const search = (typed: string, key?: object, rest = "") =>
  Effect.map(get(`/transactions?search=${encodeURIComponent(typed)}${rest}`, key as never), (answer) => {
    expect(answer.status, answer.text).toBe(200)
    return jsonOf(answer) as unknown as Found
  })

onDatabaseServer("The search of transactions", (it) => {
  it.effect("lists exact matches, then parts of references, page by page, of one organisation", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const owner = { org_id: acme.org_id, user_id: acme.userId("org-admin") }
      const amount = shillings(777_700n)
      const at = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n))
      for (let n = 0; n < 3; n++) {
        yield* newPayment(owner, { amount, target: amount, created_at: at(n), client_reference: `exact-${n}` })
        yield* newPayment(owner, { created_at: at(n), client_reference: `lot/7777.${n}` })
      }
      const seen: Array<string | null> = []
      let rest = "&limit=2"
      for (let page = 0; page < 10; page++) {
        const found = yield* search("7777", acme.key, rest)
        seen.push(...found.data.map(({ client_reference }) => client_reference))
        expect(found.meta.has_more).toBe(found.last_evaluated_key !== null)
        if (found.last_evaluated_key === null) break
        rest = `&limit=2&last_evaluated_key=${encodeURIComponent(found.last_evaluated_key)}`
      }
      expect(seen).toEqual(["exact-2", "exact-1", "exact-0", "lot/7777.2", "lot/7777.1", "lot/7777.0"])
      expect((yield* search("7777", acme.key, "&status=failed")).data).toEqual([])
      expect((yield* search("7777", acme.key, "&to=2026-01-01T00:00:01Z")).data).toHaveLength(2)
      expect((yield* search("7777", globex.key)).data).toEqual([])
      expect((yield* search("7777", admin, `&org_id=${acme.org_id}`)).data).toHaveLength(6)
      expect((yield* search("7777", admin, `&org_id=${globex.org_id}`)).data).toEqual([])
      expect((yield* search("7777", admin)).data).toHaveLength(6)
      const first = yield* search("7777", acme.key, "&limit=2")
      const cursor = `&limit=2&last_evaluated_key=${encodeURIComponent(first.last_evaluated_key ?? "")}`
      expect((yield* get(`/transactions?search=777${cursor}`, acme.key as never)).status, "of another search").toBe(400)
    })
  )

  it.effect("fills each page of parts of references, of which the last alone is short", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const owner = { org_id: acme.org_id, user_id: acme.userId("org-admin") }
      for (let n = 0; n < 7; n++) {
        const created_at = new Date(Date.UTC(2026, 0, 2, 0, 0, Math.floor(n / 2)))
        yield* newPayment(owner, { created_at, client_reference: `crate.${n}` })
      }
      const pages: Array<number> = []
      let cursor = ""
      do {
        const found = yield* search("crate", acme.key, `&limit=2${cursor}`)
        pages.push(found.data.length)
        cursor =
          found.last_evaluated_key === null ? "" : `&last_evaluated_key=${encodeURIComponent(found.last_evaluated_key)}`
      } while (cursor !== "" && pages.length < 20)
      expect(pages).toEqual([2, 2, 2, 1])
    })
  )

  it.effect("refuses texts that are too long, blank, or card numbers, without repeating them", () =>
    Effect.gen(function* () {
      for (const typed of [
        "",
        "  ",
        "\u0345",
        " \u0301 \u0300",
        "x".repeat(256),
        "x".repeat(10_000),
        "a\0b",
        "4242424242424242",
        "4242 4242 4242 4242"
      ]) {
        const answer = yield* get(`/transactions?search=${encodeURIComponent(typed)}`)
        expect(answer.status, typed.slice(0, 20)).toBe(400)
        expect(answer.text).toContain("search")
        if (typed.startsWith("4242")) expect(answer.text).not.toContain(typed)
      }
      for (const typed of [
        "%",
        "_%",
        "\\",
        "'; --",
        "🙂",
        "ﷺ",
        "\u0130",
        "1e400",
        "NaN",
        "999999999999999999",
        "0".repeat(200)
      ]) {
        expect((yield* search(typed)).data, typed).toEqual([])
      }
    })
  )
})
