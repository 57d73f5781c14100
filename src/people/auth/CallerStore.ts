/** Who stands behind a credential at this moment: one look-up per request, so that every change works at once. */
import { Context, type Effect, type Option } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import type { Caller } from "../../domain/Access.ts"
import type { ApiKeyMode } from "../../domain/ApiKeyFormat.ts"

interface Store {
  readonly byApiKey: (hash: string, mode: ApiKeyMode) => Effect.Effect<Option.Option<Caller>>
  /** Someone whom the database does not know is a caller without an organisation. */
  readonly byToken: (subject: string, orgId: Option.Option<string>) => Effect.Effect<Caller>
  readonly organizationExists: (orgId: OrgId) => Effect.Effect<boolean>
}

export class CallerStore extends Context.Tag("corridor/CallerStore")<CallerStore, Store>() {}
