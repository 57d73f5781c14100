import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { refusedFields } from "../../support/RefusedFields.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { createKey, KEYS, listKeys } from "./Keys.ts"

interface Page {
  readonly data: ReadonlyArray<{ readonly api_key_id: string }>
  readonly meta: Readonly<Record<string, unknown>>
  readonly last_evaluated_key: string | null
}

const get = (path: string, credential: Credential) => send(path, { headers: { ...credential } })

/** A cursor that the service itself gave out. */
const cursorOf = (path: string, credential: Credential) =>
  Effect.map(get(path, credential), (answer) => {
    const { last_evaluated_key: cursor } = bodyOf(answer) as Page
    expect(cursor).toEqual(expect.any(String))
    return cursor ?? ""
  })

onDatabaseServer("Pages", (it) => {
  it.effect("walk through all rows, newest first, each once", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      const before = yield* listKeys(globex.key)
      const made = yield* Effect.replicateEffect(createKey(globex.key), 6, { concurrency: "unbounded" })
      const whole = yield* listKeys(globex.key)
      const ids = whole.data.map((key) => key.api_key_id)
      expect(new Set(ids)).toEqual(new Set([...before.data, ...made].map((key) => key.api_key_id)))
      const times = whole.data.map((key) => key.created_at.getTime())
      expect(times).toEqual(times.toSorted((a, b) => b - a))
      for (const limit of [1, 3, ids.length]) {
        const seen: Array<string> = []
        let cursor: string | null = null
        do {
          const page: typeof whole = yield* listKeys(globex.key, {
            limit,
            ...(cursor === null ? {} : { last_evaluated_key: cursor })
          })
          seen.push(...page.data.map((key) => key.api_key_id))
          cursor = page.last_evaluated_key
          expect(page.meta).toEqual({
            count: page.data.length,
            total_count: ids.length,
            has_more: cursor !== null,
            last_evaluated_key: cursor
          })
          expect(page.data).toHaveLength(
            cursor === null ? ids.length - limit * Math.floor((ids.length - 1) / limit) : limit
          )
        } while (cursor !== null)
        expect(seen, `${limit} at a time`).toEqual(ids)
      }
    })
  )

  it.effect("hold ten rows by default", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* Effect.replicateEffect(createKey(acme.key), 11, { concurrency: "unbounded" })
      const { data, meta } = bodyOf(yield* get(KEYS, acme.key)) as Page
      expect(data).toHaveLength(10)
      expect(meta).toMatchObject({ count: 10, has_more: true })
      expect((bodyOf(yield* get(`${KEYS}?limit=100`, acme.key)) as Page).data.length).toBeGreaterThan(10)
      expect((bodyOf(yield* get(`${KEYS}?limit=1`, acme.key)) as Page).data).toHaveLength(1)
    })
  )

  const noNumbers = ["abc", "", "%20", "1e400", "NaN", "Infinity", "9".repeat(400), "1e1", "%205", "%2B5", "010", "0x5"]

  it.effect.each(["0", "101", "-1", "1.5", ...noNumbers])("refuse a limit of “%s”, naming it", (limit) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* get(`${KEYS}?limit=${limit}`, acme.key)
      expect(refusedFields(answer)).toEqual([400, "limit"])
    })
  )

  it.effect("refuse a cursor that was changed, cut, made up or padded out", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* createKey(acme.key)
      const good = yield* cursorOf(`${KEYS}?limit=1`, acme.key)
      const ask = (cursor: string) => get(`${KEYS}?limit=1&last_evaluated_key=${encodeURIComponent(cursor)}`, acme.key)
      expect((yield* ask(good)).status).toBe(200)
      const changed = [0, 5, 20, 30, good.length - 1].map(
        (at) => good.slice(0, at) + (good[at] === "A" ? "B" : "A") + good.slice(at + 1)
      )
      const bad = [...changed, good.slice(0, -1), good.slice(0, 22), good.slice(4), `${good}AAAA`, good.repeat(2)]
      const madeUp = ["", " ", "null", "undefined", "🔑", "\0", "W10", "x".repeat(5000)]
      const named = Buffer.from(JSON.stringify(["2026-01-01T00:00:00.000Z", "x"])).toString("base64")
      for (const cursor of [...bad, ...madeUp, named]) {
        const answer = yield* ask(cursor)
        expect(answer.status, JSON.stringify(cursor.slice(0, 60))).toBe(400)
        expect(bodyOf(answer)).toEqual({ status: "error", message: expect.stringMatching(/^last_evaluated_key: /) })
      }
    })
  )

  it.effect("refuse a cursor of another organisation, list or filter", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      yield* Effect.all([createKey(acme.key), createKey(globex.key)])
      const own = yield* cursorOf(`${KEYS}?limit=1`, acme.key)
      const AUDIT = "/v1/audit-log"
      const cases: ReadonlyArray<readonly [string, string, Credential]> = [
        ["another organisation's", KEYS, globex.key],
        ["of one organisation, for all", KEYS, admin],
        ["another list's", AUDIT, acme.key]
      ]
      for (const [what, path, credential] of cases) {
        const answer = yield* get(`${path}?limit=1&last_evaluated_key=${own}`, credential)
        expect(answer.status, what).toBe(400)
      }
      const filtered = yield* cursorOf(`${AUDIT}?limit=1&action=api_key.created`, acme.key)
      expect(
        (yield* get(`${AUDIT}?limit=1&action=api_key.created&last_evaluated_key=${filtered}`, acme.key)).status
      ).toBe(200)
      for (const filter of ["", "&action=api_key.revoked", "&action="]) {
        const answer = yield* get(`${AUDIT}?limit=1${filter}&last_evaluated_key=${filtered}`, acme.key)
        expect(answer.status, `filter ${filter}`).toBe(400)
      }
      const everywhere = yield* cursorOf(`${KEYS}?limit=1`, admin)
      expect((yield* get(`${KEYS}?limit=1&last_evaluated_key=${everywhere}`, acme.key)).status).toBe(400)
      const byName = yield* cursorOf(`${KEYS}?limit=1&org_id=${acme.org_id}`, admin)
      expect((yield* get(`${KEYS}?limit=1&last_evaluated_key=${byName}`, acme.key)).status, "same organisation").toBe(
        200
      )
    })
  )
})
