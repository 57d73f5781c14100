/** Risk rules and lists as people set them, every change audited. */
import { Context, Effect, Either, Layer, Option } from "effect"
import type { AddListEntry, RuleTermsBody } from "../../contract/api/RulesApi.ts"
import type { Permit } from "../../domain/Access.ts"
import { type AnyCurrencyCode, isAnyCurrencyCode } from "../../domain/Currency.ts"
import { CountryCode, isCountryCode } from "../../domain/Country.ts"
import { Invalid, notFound } from "../../domain/Failure.ts"
import { BeneficiaryId, idOrNil, Ids } from "../../domain/Ids.ts"
import { Money } from "../../domain/Money.ts"
import { readPhoneNumber } from "../../domain/PhoneNumber.ts"
import { mostRules } from "../../domain/policies/PaymentPolicies.ts"
import {
  identitiesOf,
  isIpAddress,
  type ListSubject,
  normalizeEmail,
  normalizeIp,
  normalizeName,
  normalizeWallet,
  type RuleTerms
} from "../../domain/RiskRules.ts"
import type { Organization } from "../../people/organizations/OrganizationStore.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orNotFound } from "../../platform/database/DatabaseFailure.ts"
import type { Window } from "../../platform/database/Query.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { Beneficiaries } from "../beneficiaries/Beneficiaries.ts"
import { type EntryFilter, type NewRule, type Owner, RuleStore } from "./RuleStore.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** `platform`: for the platform's own rules and lists. */
export type RulesPermit = Permit<"organization"> | Permit<"platform">

export type WantedTerms = typeof RuleTermsBody.Type
type WantedEntry = typeof AddListEntry.Type

const invalid = (message: string) => new Invalid({ message })

const auditDetail = ({ max_amount, org_id: _org, ...rule }: NewRule) => ({
  ...rule,
  max_amount: max_amount === null ? null : max_amount.toNumericText(),
  currency: max_amount === null ? null : max_amount.currency
})

const limitOf = (
  { currency, max_amount }: WantedTerms,
  organization: Option.Option<Organization>
): Either.Either<Money | null, Invalid> => {
  if (max_amount === null) {
    return currency === undefined
      ? Either.right(null)
      : Either.left(invalid("currency: is that of max_amount, which is missing."))
  }
  const given = currency ?? Option.getOrUndefined(organization)?.currency
  if (given === undefined || !isAnyCurrencyCode(given)) {
    return Either.left(invalid("currency: is needed beside max_amount."))
  }
  return Either.mapLeft(Money.fromDecimal(max_amount, given as AnyCurrencyCode), (why) =>
    invalid(`max_amount: ${why}.`)
  )
}

const termsOf = (wanted: WantedTerms, organization: Option.Option<Organization>): Either.Either<RuleTerms, Invalid> =>
  Either.flatMap(limitOf(wanted, organization), (max_amount) => {
    const { action, direction = null, is_active, kind, max_count = null, subject, window_seconds } = wanted
    const hasLimit = max_amount !== null || max_count !== null
    if (kind === "velocity" && !hasLimit) return Either.left(invalid("max_count: is needed, or max_amount, or both."))
    if (kind === "structuring" && hasLimit) {
      return Either.left(
        invalid("kind: structuring compares with the review threshold; leave max_count and max_amount out.")
      )
    }
    return Either.right({ kind, subject, direction, max_count, max_amount, window_seconds, action, is_active })
  })

/** Null is the platform: a permit for an organisation never means that. */
const scopeOf = (permit: RulesPermit): Effect.Effect<Owner> =>
  permit.access === "platform" ? Effect.succeed(null) : Effect.orDie(permit.scope)

const make = Effect.gen(function* () {
  const store = yield* RuleStore
  const organizations = yield* Organizations
  const beneficiaries = yield* Beneficiaries
  const audit = yield* AuditLog
  const ids = yield* Ids
  const { atomically } = yield* Transactor

  /** The organisation of the permit, which may not exist for an admin; none for the platform. */
  const ownerOf = Effect.fnUntraced(function* (permit: RulesPermit) {
    if (permit.access === "platform") return Option.none<Organization>()
    const orgId = yield* Effect.orDie(permit.scope)
    return Option.some(yield* orNotFound("organisation")(organizations.find(orgId)))
  })

  const idOf = (organization: Option.Option<Organization>): Owner =>
    Option.getOrNull(Option.map(organization, ({ org_id }) => org_id))

  const recordChange = (
    permit: RulesPermit,
    action: string,
    org: Owner,
    subject: readonly [string, string],
    detail: Readonly<Record<string, unknown>>
  ) => audit.record(permit, { action, org, subject, detail })

  const checkTerms = Effect.fnUntraced(function* (permit: RulesPermit, wanted: WantedTerms) {
    const organization = yield* ownerOf(permit)
    return { organization, terms: yield* termsOf(wanted, organization) }
  })

  /** A beneficiary is known by its account: a second one with the same account is the same. */
  const accountOf = Effect.fnUntraced(function* (owner: Owner, id: string) {
    const found = yield* beneficiaries.find(Option.fromNullable(owner), idOrNil(BeneficiaryId)(id))
    if (Option.isNone(found)) return yield* invalid("value: is not the id of a beneficiary.")
    const none = { payer_details: {}, mobile_money_details: {}, card_details: {}, bank_account: {}, ramp: null }
    const country = isCountryCode(found.value.country) ? found.value.country : CountryCode.make("US")
    const paid = { ...none, country, direction: "outbound" as const, recipient_info: { ...found.value } }
    const [account] = identitiesOf(paid, { card: null, ip: null }).beneficiary
    return account ?? (yield* invalid("value: names a beneficiary without an account."))
  })

  const listedValue = Effect.fnUntraced(function* (
    organization: Option.Option<Organization>,
    subject: ListSubject,
    value: string
  ) {
    switch (subject) {
      case "beneficiary":
        return yield* accountOf(idOf(organization), value)
      case "phone": {
        const country = Option.getOrUndefined(organization)?.country ?? "US"
        return yield* Either.mapLeft(
          readPhoneNumber(value, isCountryCode(country) ? country : CountryCode.make("US")),
          (why) => invalid(`value: ${why}.`)
        )
      }
      case "email":
        return value.includes("@") ? normalizeEmail(value) : yield* invalid("value: is not an e-mail address.")
      case "card":
        if (Option.isNone(organization)) {
          return yield* invalid(
            "subject: a card's fingerprint belongs to one organisation; use that organisation's lists."
          )
        }
        return /^[0-9a-f]{32}$/.test(value)
          ? value
          : yield* invalid("value: is not a fingerprint, as card_details of a payment has it.")
      case "ip_address":
        return isIpAddress(value.trim()) ? normalizeIp(value) : yield* invalid("value: is not an IP address.")
      case "wallet_address":
        return normalizeWallet(value.trim())
      case "name":
        return normalizeName(value)
    }
  })

  return {
    checkTerms,
    list: (permit: RulesPermit) => Effect.flatMap(scopeOf(permit), store.list),
    set: traced("Rules.set")(function* (permit: RulesPermit, name: string, wanted: WantedTerms) {
      const { organization, terms } = yield* checkTerms(permit, wanted)
      const org_id = idOf(organization)
      return yield* atomically(
        Effect.gen(function* () {
          const rules = yield* store.list(org_id)
          const before = rules.find((rule) => rule.name === name)
          if (before === undefined && rules.length >= mostRules) {
            return yield* invalid(`name: there are ${mostRules} rules already; remove one first.`)
          }
          const rule = yield* store.put({ ...terms, org_id, name })
          const old = before === undefined ? null : auditDetail(before)
          yield* recordChange(permit, "rule.set", org_id, ["rule", name], { old, new: auditDetail(rule) })
          return rule
        })
      )
    }),
    remove: traced("Rules.remove")(function* (permit: RulesPermit, name: string) {
      const org_id = idOf(yield* ownerOf(permit))
      yield* atomically(
        Effect.gen(function* () {
          const removed = yield* store.remove(org_id, name)
          if (Option.isNone(removed)) return yield* notFound("rule")
          const old = auditDetail(removed.value)
          yield* recordChange(permit, "rule.removed", org_id, ["rule", name], { old })
        })
      )
    }),
    entries: (permit: RulesPermit, filter: EntryFilter, window: Window) =>
      Effect.flatMap(scopeOf(permit), (owner) => store.entries(owner, filter, window)),
    addEntry: traced("Rules.addEntry")(function* (permit: RulesPermit, { list, note, subject, value }: WantedEntry) {
      const organization = yield* ownerOf(permit)
      const org_id = idOf(organization)
      const entry_id = yield* ids.next
      const listed = yield* listedValue(organization, subject, value)
      return yield* atomically(
        Effect.gen(function* () {
          const added = yield* store.addEntry({ entry_id, org_id, list, subject, value: listed, note: note ?? null })
          const detail = { list, subject, value: listed, note: note ?? null }
          yield* recordChange(permit, "list_entry.added", org_id, ["list_entry", added.entry_id], detail)
          return added
        })
      )
    }),
    removeEntry: traced("Rules.removeEntry")(function* (permit: RulesPermit, entryId: string) {
      const org_id = idOf(yield* ownerOf(permit))
      yield* atomically(
        Effect.gen(function* () {
          const removed = yield* store.removeEntry(org_id, entryId)
          if (Option.isNone(removed)) return yield* notFound("list entry")
          const { list, note, subject, value } = removed.value
          const detail = { list, subject, value, note }
          yield* recordChange(permit, "list_entry.removed", org_id, ["list_entry", entryId], detail)
        })
      )
    })
  }
})

export class Rules extends Context.Tag("corridor/Rules")<Rules, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Rules, make)
}
