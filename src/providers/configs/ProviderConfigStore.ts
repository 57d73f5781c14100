/** Store of provider configurations: which provider serves which corridor. */
import { Context, type Option } from "effect"
import type { ConfigId, OrgId } from "../../domain/Ids.ts"
import type * as ProviderConfigsApi from "../../contract/api/ProviderConfigsApi.ts"
import type { Corridor } from "../../domain/Routing.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Window } from "../../platform/database/Query.ts"

export type ProviderConfig = typeof ProviderConfigsApi.ProviderConfig.Type

/** Summary of its account, which has a store of its own. */
export type OfAccount = Pick<ProviderConfig, "has_credentials" | "credentials_tested_at">

export type WholeConfig = Omit<ProviderConfig, "created_at" | "updated_at" | keyof OfAccount>

/** As routing reads it, with the version of its credentials. */
export interface ServingConfig extends ProviderConfig {
  readonly credentials_version: number | null
}

const unsaid = {
  api_version: null,
  webhook_required: false,
  min_amount: null,
  max_amount: null,
  description: null,
  webhook_url: null
} as const satisfies Partial<WholeConfig>

export type NewProviderConfig = Omit<WholeConfig, keyof typeof unsaid> & Partial<Pick<WholeConfig, keyof typeof unsaid>>

export const complete = (config: NewProviderConfig): WholeConfig => ({ ...unsaid, ...config })

const filterColumns = ["provider", "country", "payment_method", "direction", "org_id"] as const

/** Required values of fields; an absent field matches all. */
export type ConfigFilter = {
  readonly [Field in (typeof filterColumns)[number]]?: NonNullable<ProviderConfig[Field]> | undefined
}

export const wantedIn = (filter: ConfigFilter) =>
  filterColumns.flatMap((column) => (filter[column] === undefined ? [] : [[column, filter[column]] as const]))

export class ProviderConfigStore extends Context.Tag("corridor/ProviderConfigStore")<
  ProviderConfigStore,
  {
    readonly insert: (configs: ReadonlyArray<NewProviderConfig>) => Stored<ReadonlyArray<ProviderConfig>>
    readonly list: (filter: ConfigFilter, window: Window) => Stored<ReadonlyArray<ProviderConfig>>
    readonly find: (id: ConfigId) => Stored<Option.Option<ProviderConfig>>
    /** Inside a transaction the row stays locked until its end. */
    readonly findForUpdate: (id: ConfigId) => Stored<Option.Option<ProviderConfig>>
    readonly update: (config: WholeConfig) => Stored<Option.Option<ProviderConfig>>
    readonly remove: (id: ConfigId) => Stored<void>
    /** The organisation's own configurations and the global ones, unordered. */
    readonly forCorridor: (orgId: OrgId, corridor: Corridor) => Stored<ReadonlyArray<ServingConfig>>
  }
>() {}
