/** Provider configurations, managed by platform admins. Every change is audited with the old values. */
import { BigDecimal, Context, Effect, Either, Layer, Option } from "effect"
import { ConfigId, type OrgId, Ids } from "../../domain/Ids.ts"
import type { CreateProviderConfig, UpdateProviderConfig } from "../../contract/api/ProviderConfigsApi.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Settings, type Mode } from "../../platform/config/Settings.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import type { Flow, PaymentMethod } from "../../domain/Corridor.ts"
import type { CountryCode } from "../../domain/Country.ts"
import { Invalid, type NotFound, notFound } from "../../domain/Failure.ts"
import type { RouteConfig } from "../../domain/Routing.ts"
import type { Window } from "../../platform/database/Query.ts"
import { type ConfigFilter, type ProviderConfig, ProviderConfigStore, type WholeConfig } from "./ProviderConfigStore.ts"
import { ProviderAccounts } from "../accounts/ProviderAccounts.ts"
import { givenUrl } from "../../domain/Url.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** A configuration in the audit log: plain values, amounts as decimal text. */
type Settled = Omit<WholeConfig, "config_id">
type AuditDetail = Readonly<Record<keyof Settled, string | number | boolean | null>>

const textOf = (amount: BigDecimal.BigDecimal | null): string | null =>
  amount === null ? null : toPlainText(BigDecimal.normalize(amount))

const describeConfig = (config: Settled): AuditDetail => ({
  provider: config.provider,
  country: config.country,
  payment_method: config.payment_method,
  direction: config.direction,
  org_id: config.org_id,
  api_version: config.api_version,
  priority: config.priority,
  is_active: config.is_active,
  webhook_required: config.webhook_required,
  min_amount: textOf(config.min_amount),
  max_amount: textOf(config.max_amount),
  description: config.description,
  webhook_url: config.webhook_url
})

/** The fields that differ, before and after; none when nothing does. */
const changesBetween = (
  before: Settled,
  after: Settled
): Option.Option<{ readonly old: Partial<AuditDetail>; readonly new: Partial<AuditDetail> }> => {
  const was = describeConfig(before)
  const is = describeConfig(after)
  const differing = (Object.keys(was) as ReadonlyArray<keyof AuditDetail>).filter((field) => was[field] !== is[field])
  const only = (detail: AuditDetail): Partial<AuditDetail> =>
    Object.fromEntries(differing.map((field) => [field, detail[field]]))
  return differing.length === 0 ? Option.none() : Option.some({ old: only(was), new: only(is) })
}

/** Callback addresses need https, except loopback addresses in sandbox mode. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

export const checkWebhookUrl = (text: string, mode: Mode): Either.Either<void, string> =>
  Either.flatMap(givenUrl(text, "https://example.com/callbacks"), ({ hostname, protocol }) => {
    const local = protocol === "http:" && mode === "sandbox" && loopback.test(hostname)
    return protocol === "https:" || local ? Either.void : Either.left("must start with https://")
  })

type Admin = Permit<"platform">

export interface ConfigKey {
  readonly provider: string
  readonly config_id: ConfigId
}

export class ProviderConfigs extends Context.Tag("corridor/ProviderConfigs")<
  ProviderConfigs,
  {
    readonly list: (permit: Admin, filter: ConfigFilter, window: Window) => Stored<ReadonlyArray<ProviderConfig>>
    readonly find: (permit: Admin, key: ConfigKey) => Stored<ProviderConfig, NotFound>
    /** An organisation that `wanted` names is the one that the permit was given for. */
    readonly create: (permit: Admin, wanted: typeof CreateProviderConfig.Type) => Stored<ProviderConfig, Invalid>
    readonly update: (
      permit: Admin,
      key: ConfigKey,
      changes: typeof UpdateProviderConfig.Type
    ) => Stored<ProviderConfig, Invalid | NotFound>
    readonly remove: (permit: Admin, key: ConfigKey) => Stored<void, NotFound>
    /** For dispatch: configurations of the organisation and the global ones, unordered. */
    readonly forCorridor: (
      orgId: OrgId,
      country: CountryCode,
      method: PaymentMethod,
      flow: Flow
    ) => Stored<ReadonlyArray<RouteConfig>>
  }
>() {
  static readonly layer = Layer.effect(
    ProviderConfigs,
    Effect.gen(function* () {
      const store = yield* ProviderConfigStore
      const audit = yield* AuditLog
      const ids = yield* Ids
      const accounts = yield* ProviderAccounts
      const { mode } = yield* Settings
      const { atomically } = yield* Transactor

      const ownerOf = (permit: Admin, named: string | null): OrgId | null =>
        named === null ? null : Option.getOrNull(permit.scope)

      const check = ({ max_amount, min_amount, webhook_url }: WholeConfig) =>
        min_amount !== null && max_amount !== null && BigDecimal.greaterThan(min_amount, max_amount)
          ? Either.left(new Invalid({ message: "min_amount: is above max_amount." }))
          : webhook_url === null
            ? Either.void
            : Either.mapLeft(
                checkWebhookUrl(webhook_url, mode),
                (why) => new Invalid({ message: `webhook_url: ${why}.` })
              )

      /** Finds a configuration, not under the name of another provider. */
      const foundBy = (find: typeof store.find, { config_id, provider }: ConfigKey) =>
        Effect.flatMap(find(config_id), (found) =>
          Either.fromOption(
            Option.filter(found, (config) => config.provider === provider),
            () => notFound("provider configuration")
          )
        )

      const record = (
        permit: Admin,
        action: string,
        config: ProviderConfig,
        detail: Readonly<Record<string, unknown>>,
        org = config.org_id
      ) =>
        audit.record(permit, {
          action: `provider_config.${action}`,
          org,
          subject: ["provider_config", config.config_id],
          detail
        })

      return {
        list: (_permit, filter, window) => store.list(filter, window),
        find: (_permit, key) => foundBy(store.find, key),
        create: traced("ProviderConfigs.create")(function* (permit, wanted) {
          const config = { ...wanted, config_id: yield* ids.make(ConfigId), org_id: ownerOf(permit, wanted.org_id) }
          yield* check(config)
          return yield* atomically(
            Effect.gen(function* () {
              const [created] = yield* store.insert([config])
              yield* record(permit, "created", created!, { new: describeConfig(created!) })
              return created!
            })
          )
        }),
        update: traced("ProviderConfigs.update")(function* (permit, key, changes) {
          return yield* atomically(
            Effect.gen(function* () {
              const before = yield* foundBy(store.findForUpdate, key)
              if (changes.provider !== undefined && changes.provider !== before.provider) {
                return yield* new Invalid({ message: "provider: cannot change; create another configuration." })
              }
              const org_id = changes.org_id === undefined ? before.org_id : ownerOf(permit, changes.org_id)
              // Another organisation could pay out the money in its account.
              if (before.has_credentials && org_id !== before.org_id) {
                return yield* new Invalid({
                  message: "org_id: cannot change, since it brings an account of its own; create another configuration."
                })
              }
              const {
                created_at: _created,
                credentials_tested_at: _tested,
                has_credentials: _has,
                updated_at: _updated,
                ...kept
              } = before
              const wanted = { ...kept, ...changes, org_id }
              yield* check(wanted)
              const changed = changesBetween(before, wanted)
              if (Option.isNone(changed)) return before
              const after = Option.getOrThrow(yield* store.update(wanted))
              // A move between organisations is visible to admins only.
              const org = before.org_id === after.org_id ? after.org_id : null
              yield* record(permit, "updated", after, changed.value, org)
              return after
            })
          )
        }),
        remove: traced("ProviderConfigs.remove")(function* (permit, key) {
          yield* atomically(
            Effect.gen(function* () {
              const config = yield* foundBy(store.findForUpdate, key)
              yield* store.remove(config.config_id)
              yield* record(permit, "deleted", config, { old: describeConfig(config) })
            })
          )
        }),
        forCorridor: (orgId, country, paymentMethod, flow) =>
          store.forCorridor(orgId, { country, paymentMethod, flow }).pipe(
            Effect.tap(accounts.seen),
            Effect.map((all) =>
              all.map((config) => ({
                own_account: config.has_credentials,
                untested: config.has_credentials && config.credentials_tested_at === null,
                ...config
              }))
            )
          )
      }
    })
  )
}
