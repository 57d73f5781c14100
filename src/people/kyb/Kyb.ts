/**
 * Runs KYB from the application to the decision, by people (`KYB_PROVIDER=manual`) or by a vendor's signed callback. Each
 * change publishes its event in the same transaction.
 */
import { Clock, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { type OrgId, Ids, UserId } from "../../domain/Ids.ts"
import { type KybCallback, KybDocument } from "../../contract/api/KybApi.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { orNotFound } from "../../platform/database/DatabaseFailure.ts"
import type { Window } from "../../platform/database/Query.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { RotatableTable } from "../../platform/secrets/Secrets.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import { type Permit, personOf } from "../../domain/Access.ts"
import { hideCardNumbers } from "../../domain/Card.ts"
import { Conflict, Forbidden, Invalid } from "../../domain/Failure.ts"
import { sha256Hex } from "../../domain/Digest.ts"
import { kybClockSkew } from "../../domain/policies/PeoplePolicies.ts"
import { Users } from "../users/Users.ts"
import { EventPublisher } from "../../webhooks/EventPublisher.ts"
import {
  type KybApproval,
  type KybDecision,
  type KybState,
  KybStore,
  type StoredKybApplication,
  type StoredKybCallback
} from "./KybStore.ts"
import { traced } from "../../platform/observability/Spans.ts"

const Documents = Schema.parseJson(Schema.Array(KybDocument))
type Documents = typeof Documents.Type

const documentsContext = (customerId: string): string => `kyb documents ${customerId}`

/** Encrypts and decrypts references to documents, which may hold access tokens. */
export const makeKybDocuments = Effect.map(Vault, (vault) => ({
  encrypt: (customerId: string, documents: Documents) =>
    documents.length === 0
      ? Effect.succeed(null)
      : Effect.flatMap(Effect.orDie(Schema.encode(Documents)(documents)), (text) =>
          vault.encrypt(text, documentsContext(customerId))
        ),
  decrypt: ({ customer_id, documents }: Pick<StoredKybApplication, "customer_id" | "documents">) =>
    documents === null
      ? Effect.succeed([])
      : vault
          .decrypt(documents, documentsContext(customer_id))
          .pipe(Effect.flatMap(Schema.decode(Documents)), Effect.orDie)
}))

export const rotatableKybDocuments: RotatableTable = {
  table: "kyb_applications",
  key: ["customer_id"],
  columns: ["documents"],
  context: documentsContext
}

/** Orders decisions by time; at equal times a rejection is the later one. */
const isOlder = ({ occurred_at, status }: Pick<StoredKybCallback, "occurred_at" | "status">, latest: Date): boolean => {
  if (occurred_at === null || occurred_at > latest) return false
  return occurred_at < latest || status === "approved"
}

/** A change of these while an application is pending makes its approvals void. */
const detailsOf = ({ country, email, name }: Pick<StoredKybApplication, "country" | "email" | "name">): string =>
  sha256Hex(JSON.stringify([name, country, email]))

/** An operator of the database is named by kind and name instead. */
const isUser = (person: string): boolean => !person.includes(" ")

interface CallbackResult {
  readonly effect: "applied" | "nothing to change"
  readonly state: KybState
}

const make = Effect.gen(function* () {
  const store = yield* KybStore
  const users = yield* Users
  const ids = yield* Ids
  const events = yield* EventPublisher
  const audit = yield* AuditLog
  const documents = yield* makeKybDocuments
  const { kybApprovals, kybProvider } = yield* Settings
  const { atomically } = yield* Transactor

  const mayStart = ({ kyb_status }: KybState): Effect.Effect<void, Conflict> => {
    switch (kyb_status) {
      case "pending":
        return Effect.fail(new Conflict({ message: "KYB is pending: it was not decided yet." }))
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

  const decide = (decision: KybDecision) => {
    const { org_id, reason, status } = decision
    const data = { org_id, kyb_status: status, reason }
    return Effect.zipRight(store.decide(decision), events.publish({ event_type: `kyb.${status}`, org_id }, data))
  }

  const found = orNotFound("KYB application")

  const isMemberOf = (orgId: OrgId, person: string) =>
    isUser(person) ? users.isMember(orgId, UserId.make(person)) : Effect.succeed(false)

  /** Platform admins who still are, and operators of the database, of whom no list is kept. */
  const mayStillDecide = Effect.fnUntraced(function* (orgId: OrgId, person: string) {
    if (!isUser(person)) return true
    const user = yield* users.find(UserId.make(person))
    return Option.exists(user, ({ is_admin }) => is_admin) && !(yield* isMemberOf(orgId, person))
  })

  /** The approvals that count; of a decided application all. */
  const countedOf = (application: StoredKybApplication) =>
    application.kyb_status === "pending"
      ? Effect.filter(application.approvals, ({ details, person }) =>
          details === detailsOf(application) ? mayStillDecide(application.org_id, person) : Effect.succeed(false)
        )
      : Effect.succeed(application.approvals)

  const withApprovals = Effect.fnUntraced(function* (application: StoredKybApplication) {
    const { approvals: _approvals, started_by: _person, ...rest } = application
    const approved_by = (yield* countedOf(application)).map(({ person }) => person)
    return { ...rest, approved_by, approvals_needed: kybApprovals }
  })

  const shown = Effect.fnUntraced(function* (customerId: string) {
    const application = yield* found(store.find(customerId))
    return { ...(yield* withApprovals(application)), documents: yield* documents.decrypt(application) }
  })

  /** The organisation stays locked: of two people who decide at once, the second sees what the first did. */
  const lockPending = Effect.fnUntraced(function* (permit: Permit<"platform">, customerId: string) {
    if (kybProvider === "webhook") {
      return yield* new Conflict({ message: "KYB_PROVIDER is webhook: the KYB provider decides." })
    }
    const state = yield* found(store.lockByCustomer(customerId))
    if (state.kyb_customer_id !== customerId) {
      return yield* new Conflict({ message: "The organisation has applied again since: decide the newer application." })
    }
    if (state.kyb_status !== "pending") {
      return yield* new Conflict({ message: `KYB is ${state.kyb_status}: there is nothing to decide.` })
    }
    if (yield* isMemberOf(state.org_id, personOf(permit))) {
      return yield* new Forbidden({ message: "You are a member of this organisation: another person has to decide." })
    }
    return state
  })

  return {
    initiate: traced("Kyb.initiate")(function* (permit: Permit<"organization">, orgId: OrgId, given: Documents = []) {
      const customer_id = `kyb_${(yield* ids.next).replaceAll("-", "")}`
      const encrypted = yield* documents.encrypt(customer_id, given)
      return yield* atomically(
        Effect.gen(function* () {
          const state = yield* orNotFound("organisation")(store.lock(orgId))
          yield* mayStart(state)
          yield* store.open({ customer_id, org_id: orgId, documents: encrypted, started_by: personOf(permit) })
          yield* audit.record(permit, {
            action: "kyb.started",
            org: orgId,
            subject: ["organization", orgId],
            detail: { kyb_customer_id: customer_id, previous: state.kyb_status, documents: given.length }
          })
          return { org_id: orgId, kyb_status: "pending", kyb_customer_id: customer_id } as const
        })
      )
    }),
    list: (_permit: Permit<"platform">, status: KybState["kyb_status"] | undefined, window: Window) =>
      Effect.flatMap(store.list(status, window), Effect.forEach(withApprovals)),
    get: (_permit: Permit<"platform">, customerId: string) => shown(customerId),
    /** Approves once as many people as `KYB_APPROVALS` says have; the application is pending until then. */
    approve: traced("Kyb.approve")(function* (permit: Permit<"platform">, customerId: string, reason: string | null) {
      const { org_id } = yield* lockPending(permit, customerId)
      const application = yield* found(store.find(customerId))
      const person = personOf(permit)
      if (kybApprovals > 1 && application.started_by === person) {
        return yield* new Forbidden({ message: "You started this application: other people have to approve it." })
      }
      const before = yield* countedOf(application)
      if (before.some((approval) => approval.person === person)) {
        return yield* new Conflict({
          message: "You have approved this application: another person has to approve it too."
        })
      }
      const approvals: ReadonlyArray<KybApproval> = [...before, { person, details: detailsOf(application) }]
      yield* store.setApprovals(customerId, approvals)
      const isLast = approvals.length >= kybApprovals
      if (isLast) {
        yield* decide({ customer_id: customerId, org_id, status: "approved", reason, decided_by: person })
      }
      yield* audit.record(permit, {
        action: isLast ? "kyb.approved" : "kyb.approval_given",
        org: org_id,
        subject: ["organization", org_id],
        detail: { kyb_customer_id: customerId, reason, approved_by: approvals.map((approval) => approval.person) }
      })
      return yield* shown(customerId)
    }, atomically),
    reject: traced("Kyb.reject")(function* (permit: Permit<"platform">, customerId: string, reason: string) {
      const { org_id } = yield* lockPending(permit, customerId)
      yield* decide({ customer_id: customerId, org_id, status: "rejected", reason, decided_by: personOf(permit) })
      yield* audit.record(permit, {
        action: "kyb.rejected",
        org: org_id,
        subject: ["organization", org_id],
        detail: { kyb_customer_id: customerId, reason }
      })
      return yield* shown(customerId)
    }, atomically),
    /** Applies a callback with a valid signature. `digest` replaces a missing `event_id`. */
    receive: traced("Kyb.receive")(function* (
      { customer_id, event_id, occurred_at, reason: given, status }: typeof KybCallback.Type,
      digest: string
    ) {
      const reason = typeof given === "string" ? hideCardNumbers(given) : null
      yield* checkPast(occurred_at)
      return yield* atomically(
        Effect.gen(function* () {
          const state = yield* orNotFound("KYB customer")(store.lockByCustomer(customer_id))
          const latest = yield* store.latestDecision(customer_id)
          const callback = { customer_id, status, reason, occurred_at: occurred_at ?? null }
          const fresh = yield* store.insertCallback({ ...callback, event_key: event_id ?? `sha256:${digest}` })
          const older = Option.exists(latest, (at) => isOlder(callback, at))
          const superseded = state.kyb_customer_id !== customer_id
          if (!fresh || older || superseded || state.kyb_status === status) {
            return { effect: "nothing to change", state } satisfies CallbackResult
          }
          const { org_id } = state
          yield* decide({ customer_id, org_id, status, reason, decided_by: "provider" })
          return { effect: "applied", state: { ...state, kyb_status: status } } satisfies CallbackResult
        })
      )
    })
  }
})

export class Kyb extends Context.Tag("corridor/Kyb")<Kyb, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Kyb, make)
}
