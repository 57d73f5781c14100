import { Effect, Context, Either, Layer, Option } from "effect"
import type { SessionApi } from "../contract/api/UsersApi.ts"
import { answer, type Handlers } from "../platform/http/Handlers.ts"
import { type Access, accessTable, authorize, type Caller, type Permission, type Permit } from "../domain/Access.ts"
import { KeyId } from "../domain/Ids.ts"
import { Settings } from "../platform/config/Settings.ts"
import { Members } from "./members/Members.ts"
import type { Organization } from "./organizations/OrganizationStore.ts"
import { Organizations } from "./organizations/Organizations.ts"
import { Users } from "./users/Users.ts"
import { traced } from "../platform/observability/Spans.ts"

type AnyPermit = Permit<"any">

const callerOf = (
  { actor, role }: AnyPermit,
  organization: Option.Option<Organization>,
  permissions: ReadonlyArray<Permission>
): Caller => ({
  id: actor.id,
  userId: actor.userId,
  apiKeyId: actor.kind === "api_key" ? Option.some(KeyId.make(actor.id)) : Option.none(),
  admin: role === "admin",
  organization: Option.map(organization, ({ features, org_id }) => ({
    orgId: org_id,
    role: role === "admin" ? "org-admin" : role,
    features: new Set(features),
    permissions: new Set(permissions)
  }))
})

/** Access of the caller, without `person`, which needs no membership. */
const accessOf = (caller: Caller): ReadonlyArray<Access> =>
  (Object.keys(accessTable) as ReadonlyArray<Access>).filter(
    (access) => access !== "person" && Either.isRight(authorize(caller, access, Option.none()))
  )

const make = Effect.gen(function* () {
  const organizations = yield* Organizations
  const members = yield* Members
  const users = yield* Users
  const { mode } = yield* Settings
  return {
    of: traced("Sessions.of")(function* (permit: AnyPermit) {
      const { actor, role, scope } = permit
      const organization = Option.isNone(scope)
        ? Option.none<Organization>()
        : Option.some(yield* organizations.get(permit))
      const user = Option.isNone(actor.userId) ? Option.none() : yield* users.find(actor.userId.value)
      const granted = yield* members.grantedTo(permit)
      return {
        credential: actor.kind === "api_key" ? ("api_key" as const) : ("user" as const),
        user_id: Option.getOrNull(actor.userId),
        email: Option.getOrNull(Option.map(user, ({ email }) => email)),
        role,
        access: accessOf(callerOf(permit, organization, granted)),
        organization: Option.getOrNull(
          Option.map(organization, ({ country, currency, features, name, org_id }) => ({
            ...{ org_id, name, country, currency },
            features: Array.from(features)
          }))
        ),
        mode
      }
    })
  }
})

export class Sessions extends Context.Tag("corridor/Sessions")<Sessions, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Sessions, make)
}

export const sessionHandlers = Effect.map(Sessions, (sessions): Handlers<typeof SessionApi> => ({
  me: ({ permit }) => answer("Session", sessions.of(permit))
}))
