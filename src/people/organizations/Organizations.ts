/** Organisations: made and listed by the platform's operators, read and changed by their own people too. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { OrgId } from "../../domain/Identifiers.ts"
import { OrganizationName } from "../../contract/api/Organizations.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Settings } from "../../platform/config/Settings.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { CountryCode } from "../../domain/Country.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { EmailAddress } from "../../domain/EmailAddress.ts"
import { type Forbidden, Invalid, type NotFound, notFound } from "../../domain/Failure.ts"
import { Feature } from "../../domain/Feature.ts"
import { Ids } from "../../domain/Ids.ts"
import type { Window } from "../../platform/database/Window.ts"
import { EventPublisher } from "../../webhooks/EventPublisher.ts"
import type { Organization } from "./Organization.ts"
import { applyChange, type Change, checkMaySet, difference } from "./OrganizationChange.ts"
import { OrganizationStore } from "./OrganizationStore.ts"

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
    readonly create: (permit: Permit<"platform">, wanted: typeof WantedOrganization.Type) => Stored<Organization>
    /** For features that act within an organisation they were let into. */
    readonly find: (orgId: OrgId) => Stored<Option.Option<Organization>>
    /** The organisation that the permit was given for. */
    readonly get: (permit: Permit<"any">) => Stored<Organization, Invalid | NotFound>
    readonly change: (
      permit: Permit<"organization">,
      change: Change
    ) => Stored<Organization, Forbidden | Invalid | NotFound>
    readonly list: (permit: Permit<"platform">, window: Window) => Stored<ReadonlyArray<Organization>>
  }
>() {
  static readonly layer = Layer.effect(
    Organizations,
    Effect.gen(function* () {
      const store = yield* OrganizationStore
      const events = yield* EventPublisher
      const audit = yield* AuditLog
      const ids = yield* Ids
      const { mode } = yield* Settings
      const { atomically } = yield* Transactor

      const orgOf = (permit: Permit<"any"> | Permit<"organization">) =>
        Effect.mapError(permit.scope, () => new Invalid({ message: "org_id: say which organisation is meant." }))

      const orNotFound = Effect.flatMap(
        Option.match({
          onNone: () => Effect.fail(notFound("organisation")),
          onSome: (organization: Organization) => Effect.succeed(organization)
        })
      )

      /** In the words of a decision that the KYB provider took; a status that decides nothing is not told of. */
      const tellOfDecision = ({ kyb_status, org_id }: Organization) =>
        kyb_status === "approved" || kyb_status === "rejected"
          ? events.tell({ event_type: `kyb.${kyb_status}`, org_id }, { org_id, kyb_status, reason: null })
          : Effect.void

      return {
        find: (orgId) => store.find(Option.some(orgId), orgId),
        get: (permit) => Effect.flatMap(orgOf(permit), (orgId) => orNotFound(store.find(permit.scope, orgId))),
        create: Effect.fn("Organizations.create")(function* (permit, wanted) {
          const org_id = yield* ids.make(OrgId)
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
        change: Effect.fn("Organizations.change")(function* (permit, change) {
          yield* checkMaySet(permit, change)
          const org_id = yield* orgOf(permit)
          return yield* atomically(
            Effect.gen(function* () {
              const before = yield* orNotFound(store.findForUpdate(permit.scope, org_id))
              const wanted = yield* applyChange(before, change)
              const changed = difference(before, wanted)
              if (Option.isNone(changed)) return before
              const after = yield* orNotFound(store.update(permit.scope, wanted))
              yield* audit.record(permit, {
                action: "organization.updated",
                org: org_id,
                subject: ["organization", org_id],
                detail: changed.value
              })
              if (after.kyb_status !== before.kyb_status) yield* tellOfDecision(after)
              return after
            })
          )
        }),
        list: (_permit, window) => store.list(Option.none(), window)
      }
    })
  )
}
