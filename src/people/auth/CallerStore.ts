/** Who stands behind a credential at this moment: one look-up per request, so that every change works at once. */
import { Context, type Option } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import type { Caller } from "../../domain/Access.ts"
import type { ApiKeyMode } from "../../domain/ApiKeyFormat.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

interface Store {
  readonly byApiKey: (hash: string, mode: ApiKeyMode) => Stored<Option.Option<Caller>>
  /** Someone whom the database does not know is a caller without an organisation. */
  readonly byToken: (subject: string, orgId: Option.Option<string>) => Stored<Caller>
  readonly organizationExists: (orgId: OrgId) => Stored<boolean>
}

export class CallerStore extends Context.Tag("corridor/CallerStore")<CallerStore, Store>() {}
