/** Organisations as the platform's operators handle them: made, and listed. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { Settings } from "../config/Settings.ts"
import { Transactor } from "../database/Transactor.ts"
import type { Permit } from "../domain/Access.ts"
import { CountryCode } from "../domain/Country.ts"
import { CurrencyCode } from "../domain/Currency.ts"
import { Ids } from "../domain/Ids.ts"
import type { Window } from "../pagination/Page.ts"
import { EmailAddress } from "../users/Users.ts"
import type { Organization } from "./Organization.ts"
import { OrganizationStore } from "./OrganizationStore.ts"

export const features = ["escrow"] as const

export const Feature = Schema.Literal(...features).annotations({
  identifier: "Feature",
  message: () => ({ message: `is not a feature: use ${features.join(", ")}`, override: true })
})

const LONGEST_NAME = 200

export const OrganizationName = Schema.Trim.pipe(
  Schema.filter(
    (name) => (name.length >= 1 && name.length <= LONGEST_NAME) || `is not a name of 1 to ${LONGEST_NAME} characters`
  )
)

/** What whoever makes an organisation decides about it. */
export const WantedOrganization = Schema.Struct({
  name: OrganizationName,
  country: CountryCode,
  currency: CurrencyCode,
  email: EmailAddress,
  features: Schema.Array(Feature)
})

export class Organizations extends Context.Tag("corridor/Organizations")<
  Organizations,
  {
    readonly create: (permit: Permit<"platform">, wanted: typeof WantedOrganization.Type) => Effect.Effect<Organization>
    /** For features that act within an organisation they were let into. */
    readonly find: (orgId: string) => Effect.Effect<Option.Option<Organization>>
    readonly list: (permit: Permit<"platform">, window: Window) => Effect.Effect<ReadonlyArray<Organization>>
  }
>() {
  static readonly layer = Layer.effect(
    Organizations,
    Effect.gen(function* () {
      const store = yield* OrganizationStore
      const audit = yield* AuditLog
      const ids = yield* Ids
      const { mode } = yield* Settings
      const { atomically } = yield* Transactor
      return {
        find: (orgId) => store.find(Option.some(orgId), orgId),
        create: Effect.fn("Organizations.create")(function* (permit, wanted) {
          const org_id = yield* ids.next
          const wantedFeatures = Array.from(new Set(wanted.features))
          return yield* atomically(
            Effect.zipLeft(
              store.insert({ ...wanted, features: wantedFeatures, org_id, sandbox: mode === "sandbox" }),
              audit.record(permit, {
                action: "organization.created",
                org: org_id,
                subject: ["organization", org_id],
                detail: { name: wanted.name, features: wantedFeatures }
              })
            )
          )
        }),
        list: (permit, window) => store.list(permit.scope, window)
      }
    })
  )
}
