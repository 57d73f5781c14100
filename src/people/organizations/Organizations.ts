/** Creates, reads, changes and lists organisations. */
import { Context, Effect, Layer, Option, Either } from "effect"
import { OrgId, Ids } from "../../domain/Ids.ts"
import type {
  ChangeOrganization,
  CreateOrganization,
  Organization as ShownOrganization,
  OrganizationsApi
} from "../../contract/api/OrganizationsApi.ts"
import { orNotFound } from "../../platform/database/DatabaseFailure.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { organizationOf, type Permit, type Access } from "../../domain/Access.ts"
import { isAnyCurrencyCode } from "../../domain/Currency.ts"
import { Forbidden, Invalid } from "../../domain/Failure.ts"
import type { Window } from "../../platform/database/Query.ts"
import { EventPublisher } from "../../webhooks/EventPublisher.ts"
import { type Organization, OrganizationStore, type ChangedOrganization } from "./OrganizationStore.ts"
import { Money } from "../../domain/Money.ts"
import { isOff, type ReserveRule } from "../../domain/Reserve.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makeCamelPages } from "../../platform/pagination/Pagination.ts"
import { fromPlainText } from "../../domain/Decimal.ts"
import { traced } from "../../platform/observability/Spans.ts"

type OrganizationPatch = typeof ChangeOrganization.Type

/** Fields that only platform admins set. */
const platformFields = ["features", "review_threshold", "kyb_status", "spread_bps", "currency"] as const

const checkMaySet = (permit: Permit<"organization">, change: OrganizationPatch): Either.Either<void, Forbidden> => {
  const refused = permit.role === "admin" ? [] : platformFields.filter((field) => change[field] !== undefined)
  return refused.length === 0
    ? Either.void
    : Either.left(new Forbidden({ message: `${refused.join(", ")}: only a platform admin may set this.` }))
}

/** Stores 0 as null: both mean that nothing is held. */
const thresholdText = (
  { currency }: Organization,
  wanted: NonNullable<OrganizationPatch["review_threshold"]>
): Either.Either<string | null, string> =>
  isAnyCurrencyCode(currency)
    ? Either.map(Money.fromDecimal(wanted, currency), (money) => (money.isZero ? null : money.toNumericText()))
    : Either.left(`cannot be in ${currency}, the organisation's currency`)

const applyChange = (
  before: Organization,
  { currency, features, review_threshold, ...fields }: OrganizationPatch
): Either.Either<ChangedOrganization, Invalid> => {
  if (currency !== undefined && currency !== before.currency) {
    return Either.left(new Invalid({ message: "currency: cannot be changed; create another organisation." }))
  }
  const threshold =
    review_threshold === undefined
      ? Either.right(before.review_threshold)
      : review_threshold === null
        ? Either.right(null)
        : thresholdText(before, review_threshold)
  const { country, email, kyb_status, name, org_id, spread_bps } = before
  return Either.mapBoth(threshold, {
    onLeft: (reason) => new Invalid({ message: `review_threshold: ${reason}.` }),
    onRight: (text) => ({
      ...{ org_id, country, email, kyb_status, name, spread_bps },
      ...fields,
      features: features === undefined ? before.features : Array.from(new Set(features)),
      review_threshold: text
    })
  })
}

type ChangedFields = Partial<Record<keyof ChangedOrganization, unknown>>

const comparable = (value: unknown): unknown => (Array.isArray(value) ? JSON.stringify(value) : value)

/** Changed fields, before and after; none if nothing changed. */
const difference = (
  before: Organization,
  after: ChangedOrganization
): Option.Option<{ readonly old: ChangedFields; readonly new: ChangedFields }> => {
  const fields = (Object.keys(after) as ReadonlyArray<keyof ChangedOrganization>).filter(
    (field) => comparable(before[field]) !== comparable(after[field])
  )
  const only = (from: ChangedOrganization): ChangedFields =>
    Object.fromEntries(fields.map((field) => [field, from[field]]))
  return fields.length === 0 ? Option.none() : Option.some({ old: only(before), new: only(after) })
}

const make = Effect.gen(function* () {
  const store = yield* OrganizationStore
  const events = yield* EventPublisher
  const audit = yield* AuditLog
  const ids = yield* Ids
  const { kybApprovals, mode } = yield* Settings
  const { atomically } = yield* Transactor

  const found = orNotFound("organisation")

  /** Publishes the same event as a decision of the KYB provider. */
  const publishKybDecision = ({ kyb_status, org_id }: Organization) =>
    kyb_status === "approved" || kyb_status === "rejected"
      ? events.publish({ event_type: `kyb.${kyb_status}`, org_id }, { org_id, kyb_status, reason: null })
      : Effect.void

  return {
    /** Without a permit, for features that have checked access already. */
    find: (orgId: OrgId) => store.find(Option.some(orgId), orgId),
    /** The organisation of the permit. */
    get: (permit: Permit<"any">) =>
      Effect.flatMap(organizationOf(permit), (orgId) => found(store.find(permit.scope, orgId))),
    create: traced("Organizations.create")(function* (
      permit: Permit<"platform">,
      wanted: typeof CreateOrganization.Type
    ) {
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
    change: traced("Organizations.change")(function* (permit: Permit<"organization">, change: OrganizationPatch) {
      yield* checkMaySet(permit, change)
      const org_id = yield* organizationOf(permit)
      return yield* atomically(
        Effect.gen(function* () {
          const before = yield* found(store.findForUpdate(permit.scope, org_id))
          const wanted = yield* applyChange(before, change)
          const isOpened = wanted.kyb_status === "approved" || wanted.kyb_status === "pending"
          if (kybApprovals > 1 && isOpened && wanted.kyb_status !== before.kyb_status) {
            const message = `kyb_status: ${kybApprovals} people have to approve, each by approving a KYB application.`
            return yield* new Forbidden({ message })
          }
          const changed = difference(before, wanted)
          if (Option.isNone(changed)) return before
          const after = yield* found(store.update(permit.scope, wanted))
          yield* audit.record(permit, {
            action: "organization.updated",
            org: org_id,
            subject: ["organization", org_id],
            detail: changed.value
          })
          if (after.kyb_status !== before.kyb_status) yield* publishKybDecision(after)
          return after
        })
      )
    }),
    reservesOf: (permit: Permit<"reports">) =>
      Effect.flatMap(organizationOf(permit), (orgId) => found(store.find(permit.scope, orgId))),
    /** Organisations with a reserve, the first 1,000. */
    withReserves: (_permit: Permit<"platform">) => store.withReserves(1000),
    /** Sets the rule of one payment method for payins from now on; a rule that holds nothing back removes it. */
    setReserve: traced("Organizations.setReserve")(function* (
      permit: Permit<"platform">,
      orgId: OrgId,
      rule: ReserveRule
    ) {
      const { payment_method } = rule
      return yield* atomically(
        Effect.gen(function* () {
          const { reserves } = yield* found(store.findForUpdate(Option.some(orgId), orgId))
          const before = reserves.find((one) => one.payment_method === payment_method) ?? null
          const after = isOff(rule) ? null : rule
          const others = reserves.filter((one) => one !== before)
          yield* store.setReserves(orgId, after === null ? others : [...others, after])
          yield* audit.record(permit, {
            action: "reserve.set",
            org: orgId,
            subject: ["organization", orgId],
            detail: { payment_method, old: before, new: after }
          })
          return { before, after }
        })
      )
    }),
    list: (_permit: Permit<"platform">, window: Window) => store.list(Option.none(), window)
  }
})

export class Organizations extends Context.Tag("corridor/Organizations")<
  Organizations,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(Organizations, make)
}

/** With the currency's decimals, or its own if it has more. */
export const thresholdOf = ({ currency, review_threshold }: Organization) => {
  if (review_threshold === null) return null
  const money = isAnyCurrencyCode(currency)
    ? Either.getRight(Money.fromNumericText(review_threshold, currency))
    : Option.none()
  return Option.match(money, {
    onNone: () => Option.getOrNull(fromPlainText(review_threshold)),
    onSome: (one) => (one.isZero ? null : one.toDecimal())
  })
}

/** Shows `spread_bps` to platform admins only. */
const organizationView = (permit: Permit<Access>, organization: Organization): typeof ShownOrganization.Type => {
  const { reserves: _reserves, spread_bps, ...shown } = organization
  return {
    ...shown,
    review_threshold: thresholdOf(organization),
    ...(permit.role === "admin" ? { spread_bps } : {})
  }
}

export const organizationsHandlers = Effect.map(
  Effect.all([Organizations, makeCamelPages]),
  ([organizations, pages]): Handlers<typeof OrganizationsApi> => {
    const shownTo = (permit: Permit<Access>) => (organization: Organization) => organizationView(permit, organization)
    return {
      list: (request) =>
        pages(request, {
          message: "Organisations",
          fetch: (window) => organizations.list(request.permit, window),
          idOf: (organization) => organization.org_id,
          show: shownTo(request.permit)
        }),
      create: ({ payload, permit }) =>
        answer("Organisation created", organizations.create(permit, payload), shownTo(permit)),
      get: ({ permit }) => answer("Organisation", organizations.get(permit), shownTo(permit)),
      change: ({ payload, permit }) =>
        answer("Organisation changed", organizations.change(permit, payload), shownTo(permit))
    }
  }
)
