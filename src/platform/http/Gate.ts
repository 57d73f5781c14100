/** Where every request passes: who is it, and have they asked too often? Those who know people answer. */
import type { IncomingMessage } from "node:http"
import { Context } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import type { Caller } from "../../domain/Access.ts"
import type { RateLimited, Unauthorized } from "../../domain/Failure.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

export class Gate extends Context.Tag("corridor/Gate")<
  Gate,
  {
    readonly admit: (request: IncomingMessage) => Stored<Caller, Unauthorized | RateLimited>
    /** Asked for a platform admin, who may name any. */
    readonly organizationExists: (orgId: OrgId) => Stored<boolean>
  }
>() {}
