/** Who stands at the command line, for the audit log: the operating system's word is taken for it. */
import { userInfo } from "node:os"
import { Effect, Option } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import { type Access, operatorPermit, type Permit } from "../../domain/Access.ts"

/** A container may run under a number that has no name. */
const operator = Effect.try(() => userInfo().username).pipe(
  Effect.orElseSucceed(() => `uid ${process.getuid?.() ?? "unknown"}`)
)

export const permitFor = <A extends Access>(
  access: A,
  orgId: Option.Option<OrgId> = Option.none()
): Effect.Effect<Permit<A>> => Effect.map(operator, (name) => operatorPermit(access, name, orgId))
