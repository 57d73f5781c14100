/** The services behind the CLI's commands, on both kinds of stores. */
import { expect } from "@effect/vitest"
import { Effect, Either, Layer, Option, Schema } from "effect"
import { EventPublisher } from "../../src/webhooks/EventPublisher.ts"
import { AuditLog } from "../../src/platform/audit/AuditLog.ts"
import { operatorPermit } from "../../src/domain/Access.ts"
import { CreateOrganization } from "../../src/contract/api/OrganizationsApi.ts"
import { Organizations } from "../../src/people/organizations/Organizations.ts"
import { RateQuote } from "../../src/money/rates/RateQuote.ts"
import { Rates, WantedRate } from "../../src/money/rates/Rates.ts"
import { Users, UserInput } from "../../src/people/users/Users.ts"
import { UserStore } from "../../src/people/users/UserStore.ts"
import { onBothStores } from "../support/OnBothStores.ts"
import { testSettings, type Variables } from "../support/TestSettings.ts"
import { nilId } from "../support/AnyId.ts"

const platform = operatorPermit("platform", "olga")
const all = { after: Option.none(), take: 100 }

const behind = Layer.mergeAll(Rates.layer, Users.layer).pipe(
  Layer.provideMerge(Organizations.layer),
  Layer.provide(EventPublisher.layer),
  Layer.provide(RateQuote.layer),
  Layer.provideMerge(AuditLog.layer)
)

const services = (variables: Variables = {}) => Effect.provide(behind.pipe(Layer.provide(testSettings(variables))))

const kilimo = Schema.decodeSync(CreateOrganization)({
  name: "  Kilimo ",
  country: "KE",
  currency: "KES",
  email: "ops@kilimo.example",
  features: ["escrow", "escrow"]
})

const person = (email: string, membership: (typeof UserInput.Type)["membership"] = null) =>
  Schema.decodeSync(UserInput)({ email, country: null, subject: null, is_admin: false, membership })

const rate = (from: string, to: string, text: string) => Schema.decodeUnknownSync(WantedRate)({ from, to, rate: text })

const actions = Effect.gen(function* () {
  const log = yield* AuditLog
  const rows = yield* log.list(operatorPermit("audit", "olga"), {}, all)
  return rows.map(({ action, actor_id, actor_type, detail, org_id, subject_id }) => {
    expect([actor_type, actor_id]).toEqual(["operator", "olga"])
    return { action, detail, org_id, subject_id }
  })
})

onBothStores("Organizations, Users, Rates", (it) => {
  it.effect("an organisation is made with its audit row, marked as sandbox in sandbox mode only", () =>
    Effect.gen(function* () {
      const make = Effect.flatMap(Organizations, (organizations) => organizations.create(platform, kilimo))
      const org = yield* make
      expect(org).toMatchObject({ name: "Kilimo", features: ["escrow"], sandbox: true })
      expect(yield* actions).toContainEqual({
        action: "organization.created",
        org_id: org.org_id,
        subject_id: org.org_id,
        detail: { name: "Kilimo", features: ["escrow"] }
      })
      const live = {
        CORRIDOR_MODE: "live",
        CORRIDOR_MASTER_KEY: "f".repeat(64),
        KYB_WEBHOOK_SECRET: "a secret of the test"
      }
      expect((yield* services(live)(make)).sandbox).toBe(false)
      const listed = yield* Effect.flatMap(Organizations, (organizations) => organizations.list(platform, all))
      expect(listed.map(({ org_id }) => org_id)).toContain(org.org_id)
    }).pipe(services())
  )

  it.effect("a user and their membership come together or not at all", () =>
    Effect.gen(function* () {
      const users = yield* Users
      const store = yield* UserStore
      const { org_id } = yield* Effect.flatMap(Organizations, (organizations) => organizations.create(platform, kilimo))
      const ada = yield* users.create(platform, person("Ada@x.example", { org_id, role: "staff" }))
      expect(ada).toMatchObject({ org_id, role: "staff", subject: ada.user_id })
      expect(yield* store.membershipsOf(ada.user_id)).toMatchObject([{ org_id, role: "staff" }])
      expect(Option.getOrThrow(yield* store.findByEmail("ADA@X.example")).user_id).toBe(ada.user_id)
      const members = yield* users.list(operatorPermit("operations", "olga", Option.some(org_id)), all)
      expect(members.map(({ user_id }) => user_id)).toEqual([ada.user_id])
      const before = yield* actions
      expect(before).toContainEqual({
        action: "member.added",
        org_id,
        subject_id: ada.user_id,
        detail: { role: "staff" }
      })

      const twice = yield* Effect.flip(users.create(platform, person("ada@X.example")))
      expect(twice._tag).toBe("Conflict")
      const nowhere = person("bob@x.example", { org_id: nilId, role: "staff" })
      expect((yield* Effect.flip(users.create(platform, nowhere)))._tag).toBe("NotFound")
      expect(yield* store.findByEmail("bob@x.example")).toEqual(Option.none())
      expect(yield* actions).toEqual(before)
    }).pipe(services())
  )

  it.effect("a rate is kept digit for digit, and what it replaced is on record", () =>
    Effect.gen(function* () {
      const rates = yield* Rates
      const first = yield* rates.set(platform, rate("BTC", "USD", "68250.10"))
      expect(first).toMatchObject({ rate: "68250.1", previous_rate: null })
      const second = yield* rates.set(platform, rate("BTC", "USD", "68250.1234567"))
      expect(second).toMatchObject({ rate: "68250.1234567", previous_rate: "68250.1" })
      expect((yield* rates.list(platform)).rates).toMatchObject([{ from_currency: "BTC", rate: "68250.1234567" }])
      expect(yield* actions).toContainEqual({
        action: "rate.set",
        org_id: null,
        subject_id: "BTC/USD",
        detail: { old: "68250.1", new: "68250.1234567" }
      })
      expect((yield* Effect.flip(rates.set(platform, rate("USD", "USD", "1"))))._tag).toBe("Invalid")
      for (const text of ["0", "-1", "1e2", "1.000000000001", " 1", "NaN", ""]) {
        const wanted = Schema.decodeUnknownEither(WantedRate)({ from: "BTC", to: "USD", rate: text })
        expect(Either.isLeft(wanted), text).toBe(true)
      }
    }).pipe(services())
  )
})
