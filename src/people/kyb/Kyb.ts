/** Runs KYB from its start to the provider's decision. Each change publishes its event in the same transaction. */
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { type OrgId, Ids } from "../../domain/Ids.ts"
import type { KybCallback } from "../../contract/api/KybApi.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orNotFound } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { Conflict, Invalid } from "../../domain/Failure.ts"
import { kybClockSkew } from "../../domain/policies/PeoplePolicies.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { EventPublisher } from "../../webhooks/EventPublisher.ts"
import { type KybState, KybStore, type StoredKybCallback } from "./KybStore.ts"
import type { Organization } from "../organizations/OrganizationStore.ts"

/** The port to a KYB provider. The built-in one accepts every application and waits for its callback. */
export class KybProvider extends Context.Tag("corridor/KybProvider")<
  KybProvider,
  {
    /** Opens a new application every time; returns the id that callbacks refer to. */
    readonly open: (organization: Pick<Organization, "org_id" | "name" | "country" | "email">) => Effect.Effect<string>
  }
>() {
  static readonly layerBuiltIn = Layer.effect(
    KybProvider,
    Effect.map(Ids, (ids) => ({
      open: () => Effect.map(ids.next, (id) => `kyb_${id.replaceAll("-", "")}`)
    }))
  )
}

/** Orders decisions by time; at equal times a rejection is the later one. */
const isOlder = ({ occurred_at, status }: Pick<StoredKybCallback, "occurred_at" | "status">, latest: Date): boolean => {
  if (occurred_at === null || occurred_at > latest) return false
  return occurred_at < latest || status === "approved"
}

interface CallbackResult {
  readonly effect: "applied" | "nothing to change"
  readonly state: KybState
}

const make = Effect.gen(function* () {
  const store = yield* KybStore
  const provider = yield* KybProvider
  const organizations = yield* Organizations
  const events = yield* EventPublisher
  const audit = yield* AuditLog
  const { atomically } = yield* Transactor

  const mayStart = ({ kyb_status }: Pick<KybState, "kyb_status">): Effect.Effect<void, Conflict> => {
    switch (kyb_status) {
      case "pending":
        return Effect.fail(new Conflict({ message: "KYB is pending: the provider has not decided yet." }))
      case "approved":
        return Effect.fail(new Conflict({ message: "KYB is approved already." }))
      default:
        return Effect.void
    }
  }

  /** Refuses a future time, which would make every later decision look old. */
  const checkPast = Effect.fnUntraced(function* (occurredAt: Date | null | undefined) {
    const latest = (yield* Clock.currentTimeMillis) + Duration.toMillis(kybClockSkew)
    if (occurredAt !== null && occurredAt !== undefined && occurredAt.getTime() > latest) {
      return yield* new Invalid({ message: "occurred_at: is in the future." })
    }
  })

  return {
    initiate: Effect.fn("Kyb.initiate")(function* (permit: Permit<"organization">, orgId: OrgId) {
      const organization = yield* orNotFound("organisation")(organizations.find(orgId))
      yield* mayStart(organization)
      // Outside the transaction, which must not wait for a provider. A concurrent start fails below.
      const customer_id = yield* provider.open(organization)
      return yield* atomically(
        Effect.gen(function* () {
          const state = yield* orNotFound("organisation")(store.lock(orgId))
          yield* mayStart(state)
          yield* store.open({ customer_id, org_id: orgId })
          yield* audit.record(permit, {
            action: "kyb.started",
            org: orgId,
            subject: ["organization", orgId],
            detail: { kyb_customer_id: customer_id, previous: state.kyb_status }
          })
          return { org_id: orgId, kyb_status: "pending", kyb_customer_id: customer_id } as const
        })
      )
    }),
    /** Applies a callback with a valid signature. `digest` replaces a missing `event_id`. */
    receive: Effect.fn("Kyb.receive")(function* (
      { customer_id, event_id, occurred_at, reason, status }: typeof KybCallback.Type,
      digest: string
    ) {
      yield* checkPast(occurred_at)
      return yield* atomically(
        Effect.gen(function* () {
          const state = yield* orNotFound("KYB customer")(store.lockByCustomer(customer_id))
          const latest = yield* store.latestDecision(customer_id)
          const callback = { customer_id, status, reason: reason ?? null, occurred_at: occurred_at ?? null }
          const fresh = yield* store.insertCallback({ ...callback, event_key: event_id ?? `sha256:${digest}` })
          const older = Option.exists(latest, (at) => isOlder(callback, at))
          const superseded = state.kyb_customer_id !== customer_id
          if (!fresh || older || superseded || state.kyb_status === status) {
            return { effect: "nothing to change", state } satisfies CallbackResult
          }
          yield* store.setStatus(state.org_id, status)
          const { org_id } = state
          const data = { org_id, kyb_status: status, reason: callback.reason }
          yield* events.publish({ event_type: `kyb.${status}`, org_id }, data)
          return { effect: "applied", state: { ...state, kyb_status: status } } satisfies CallbackResult
        })
      )
    })
  }
})

export class Kyb extends Context.Tag("corridor/Kyb")<Kyb, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Kyb, make)
}
