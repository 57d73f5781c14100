/** Organisations at rest. */
import { Context, type Effect, type Option } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import { type Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Organization } from "./Organization.ts"

export type NewOrganization = Pick<
  Organization,
  "org_id" | "name" | "country" | "currency" | "email" | "features" | "sandbox"
>

/** What can change of an organisation. */
export type ChangedOrganization = Pick<
  Organization,
  "org_id" | "name" | "country" | "email" | "kyb_status" | "features" | "review_threshold" | "spread_bps"
>

interface Store {
  readonly insert: (organization: NewOrganization) => Effect.Effect<Organization>
  readonly find: (scope: Scope, orgId: OrgId) => Effect.Effect<Option.Option<Organization>>
  /** Inside a transaction nobody else changes it until its end; payments go on meanwhile. */
  readonly findForUpdate: (scope: Scope, orgId: OrgId) => Effect.Effect<Option.Option<Organization>>
  readonly update: (scope: Scope, changed: ChangedOrganization) => Effect.Effect<Option.Option<Organization>>
  readonly list: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<Organization>>
}

export class OrganizationStore extends Context.Tag("corridor/OrganizationStore")<OrganizationStore, Store>() {}
