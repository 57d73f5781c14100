/** Organisations at rest. */
import { Context, type Option } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
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
  readonly insert: (organization: NewOrganization) => Stored<Organization>
  readonly find: (scope: Scope, orgId: OrgId) => Stored<Option.Option<Organization>>
  /** Inside a transaction nobody else changes it until its end; payments go on meanwhile. */
  readonly findForUpdate: (scope: Scope, orgId: OrgId) => Stored<Option.Option<Organization>>
  readonly update: (scope: Scope, changed: ChangedOrganization) => Stored<Option.Option<Organization>>
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Organization>>
}

export class OrganizationStore extends Context.Tag("corridor/OrganizationStore")<OrganizationStore, Store>() {}
