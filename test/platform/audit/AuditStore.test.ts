import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { type AuditEntry, type AuditFilter, AuditStore } from "../../../src/platform/audit/AuditLog.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"

type Entry = Omit<AuditEntry, "created_at">

const append = (about: Partial<Entry> & Pick<Entry, "org_id">) =>
  Effect.gen(function* () {
    const store = yield* AuditStore
    const entry: Entry = {
      audit_id: yield* nextId,
      actor_type: "user",
      actor_id: "someone",
      actor_name: "someone@example.com",
      action: "api_key.created",
      subject_type: "api_key",
      subject_id: "a key",
      detail: {},
      ...about
    }
    yield* store.append(entry)
    return entry
  })

const all = {}

onBothStores("AuditStore", (it) => {
  it.effect("gives an entry back as it was written", () =>
    Effect.gen(function* () {
      const store = yield* AuditStore
      const { org_id } = yield* newOrganization()
      const detail = { name: "Zoë “x”", nested: { list: [1, null, true, "a"] }, rate: "0.10" }
      const entry = yield* append({ org_id, detail, actor_type: "operator", actor_id: "cli" })
      const [kept, ...rest] = yield* store.list(Option.some(org_id), all, everything)
      expect(rest).toEqual([])
      expect(kept).toEqual({ ...entry, created_at: expect.any(Date) })
    })
  )

  it.effect("shows an organisation its own entries only, and those of the platform to platform admins", () =>
    Effect.gen(function* () {
      const store = yield* AuditStore
      const [here, there] = yield* Effect.all([newOrganization(), newOrganization()])
      const own = yield* append({ org_id: here.org_id })
      const foreign = yield* append({ org_id: there.org_id })
      const platform = yield* append({ org_id: null })
      const idsOf = (rows: ReadonlyArray<AuditEntry>) => rows.map((row) => row.audit_id)
      expect(idsOf(yield* store.list(Option.some(here.org_id), all, everything))).toEqual([own.audit_id])
      const everywhere = idsOf(yield* store.list(Option.none(), all, everything))
      expect(everywhere).toEqual(expect.arrayContaining([own.audit_id, foreign.audit_id, platform.audit_id]))
    })
  )

  it.effect("filters by the exact action, within the scope", () =>
    Effect.gen(function* () {
      const store = yield* AuditStore
      const [here, there] = yield* Effect.all([newOrganization(), newOrganization()])
      const rotated = yield* append({ org_id: here.org_id, action: "api_key.rotated" })
      yield* append({ org_id: here.org_id, action: "api_key.created" })
      yield* append({ org_id: there.org_id, action: "api_key.rotated" })
      const find = (action: string) => store.list(Option.some(here.org_id), { action }, everything)
      expect((yield* find("api_key.rotated")).map((row) => row.audit_id)).toEqual([rotated.audit_id])
      for (const nothing of ["api_key.%", "API_KEY.ROTATED", "", "' or true --"])
        expect(yield* find(nothing)).toEqual([])
    })
  )

  it.effect("filters by the exact actor and by time, within the scope", () =>
    Effect.gen(function* () {
      const store = yield* AuditStore
      const [here, there] = yield* Effect.all([newOrganization(), newOrganization()])
      const mine = yield* append({ org_id: here.org_id, actor_id: "amina" })
      yield* append({ org_id: here.org_id, actor_id: "amina2" })
      yield* append({ org_id: there.org_id, actor_id: "amina" })
      const find = (filter: AuditFilter) =>
        Effect.map(store.list(Option.some(here.org_id), filter, everything), (rows) => rows.map((row) => row.audit_id))
      expect(yield* find({ actor_id: "amina" })).toEqual([mine.audit_id])
      expect(yield* find({ actor_id: "" })).toEqual([])
      const [{ created_at: at } = { created_at: new Date(0) }] = yield* store.list(
        Option.some(here.org_id),
        { actor_id: "amina" },
        everything
      )
      const later = new Date(at.getTime() + 1)
      expect(yield* find({ actor_id: "amina", from: at, to: later, action: "api_key.created" })).toEqual([
        mine.audit_id
      ])
      expect(yield* find({ actor_id: "amina", from: later })).toEqual([])
      expect(yield* find({ actor_id: "amina", to: at })).toEqual([])
      expect(yield* find({ actor_id: "amina", action: "api_key.rotated" })).toEqual([])
    })
  )

  it.effect("filters by what was changed, within the scope", () =>
    Effect.gen(function* () {
      const store = yield* AuditStore
      const [here, there] = yield* Effect.all([newOrganization(), newOrganization()])
      const refund = { subject_type: "payment", subject_id: yield* nextId, action: "payment.refund_requested" }
      const mine = yield* append({ org_id: here.org_id, ...refund })
      yield* append({ org_id: here.org_id })
      const foreign = yield* append({ org_id: there.org_id, ...refund })
      const find = (org: Option.Option<typeof here.org_id>, subject_id: string) =>
        Effect.map(store.list(org, { subject_id }, everything), (rows) => rows.map((row) => row.audit_id))
      expect(yield* find(Option.some(here.org_id), refund.subject_id)).toEqual([mine.audit_id])
      expect(yield* find(Option.none(), refund.subject_id)).toEqual([foreign.audit_id, mine.audit_id])
      expect(yield* find(Option.some(here.org_id), "")).toEqual([])
    })
  )

  it.effect("lists newest first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* AuditStore
      const { org_id } = yield* newOrganization()
      const three = Effect.replicateEffect(append({ org_id }), 3)
      const made = [...(yield* atOneMoment(three)), ...(yield* atOneMoment(three))]
      yield* append({ org_id, action: "other" })
      const list = (window: typeof everything) => store.list(Option.some(org_id), { action: "api_key.created" }, window)
      const kept = yield* list(everything)
      expect(kept).toHaveLength(made.length)
      yield* expectWindows(kept, list, (row) => row.audit_id)
    })
  )
})
