/** People as the platform's operators handle them: made, with a first membership if they are to have one, and listed. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { RoleName } from "../../domain/AccessNames.ts"
import { CountryCode } from "../../domain/Country.ts"
import { EmailAddress } from "../../domain/EmailAddress.ts"
import { type Conflict, type NotFound, notFound } from "../../domain/Failure.ts"
import { Ids } from "../../domain/Ids.ts"
import { OrganizationStore } from "../organizations/OrganizationStore.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Member } from "./User.ts"
import { UserStore } from "./UserStore.ts"

const LONGEST_SUBJECT = 255

/** As the claim `sub` may hold it: control characters and lone surrogates name nobody. */
export const Subject = Schema.String.pipe(
  Schema.filter(
    (text) =>
      (text.length <= LONGEST_SUBJECT && /^[^\p{Cc}\p{Cs}]+$/u.test(text)) ||
      `is not a subject of 1 to ${LONGEST_SUBJECT} printable characters`
  )
)

/** What whoever makes a user decides about them; the subject is their own id when none is given. */
export const WantedUser = Schema.Struct({
  email: EmailAddress,
  country: Schema.NullOr(CountryCode),
  subject: Schema.NullOr(Subject),
  is_admin: Schema.Boolean,
  membership: Schema.NullOr(Schema.Struct({ org_id: Schema.String, role: RoleName }))
})

export class Users extends Context.Tag("corridor/Users")<
  Users,
  {
    readonly create: (
      permit: Permit<"platform">,
      wanted: typeof WantedUser.Type
    ) => Effect.Effect<Member, Conflict | NotFound>
    readonly list: (permit: Permit<"operations">, window: Window) => Effect.Effect<ReadonlyArray<Member>>
  }
>() {
  static readonly layer = Layer.effect(
    Users,
    Effect.gen(function* () {
      const store = yield* UserStore
      const organizations = yield* OrganizationStore
      const audit = yield* AuditLog
      const ids = yield* Ids
      const { atomically } = yield* Transactor
      return {
        create: Effect.fn("Users.create")(function* (permit, { country, email, is_admin, membership, subject }) {
          const user_id = yield* ids.next
          return yield* atomically(
            Effect.gen(function* () {
              const user = yield* store.insert({ user_id, subject: subject ?? user_id, email, country, is_admin })
              yield* audit.record(permit, {
                action: "user.created",
                org: null,
                subject: ["user", user_id],
                detail: { is_admin }
              })
              if (membership === null) return { ...user, org_id: null, role: null }
              const { org_id, role } = membership
              if (Option.isNone(yield* organizations.find(permit.scope, org_id))) {
                return yield* notFound("organisation")
              }
              yield* store.putMember({ org_id, user_id, role })
              yield* audit.record(permit, {
                action: "member.added",
                org: org_id,
                subject: ["user", user_id],
                detail: { role }
              })
              return { ...user, org_id, role }
            })
          )
        }),
        list: (permit, window) => store.list(permit.scope, window)
      }
    })
  )
}
