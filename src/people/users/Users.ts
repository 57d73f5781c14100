/** Creates, registers, finds and lists users. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Ids, OrgId, UserId } from "../../domain/Ids.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orRefuse } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { type Permit, RoleName } from "../../domain/Access.ts"
import { CountryCode } from "../../domain/Country.ts"
import { EmailAddress } from "../../domain/MailSafeText.ts"
import { Conflict, notFound } from "../../domain/Failure.ts"
import { Organizations } from "../organizations/Organizations.ts"
import type { Window } from "../../platform/database/Query.ts"
import { type User, UserStore } from "./UserStore.ts"
import type { UsersApi } from "../../contract/api/UsersApi.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { traced } from "../../platform/observability/Spans.ts"

const LONGEST_SUBJECT = 255

/** Claim `sub` of a token, without control characters and lone surrogates. */
export const Subject = Schema.String.pipe(
  Schema.filter(
    (text) =>
      (text.length <= LONGEST_SUBJECT && /^[^\p{Cc}\p{Cs}]+$/u.test(text)) ||
      `is not a subject of 1 to ${LONGEST_SUBJECT} printable characters`
  )
)

/** `subject` defaults to the user's id. */
export const UserInput = Schema.Struct({
  email: EmailAddress,
  country: Schema.NullOr(CountryCode),
  subject: Schema.NullOr(Subject),
  is_admin: Schema.Boolean,
  membership: Schema.NullOr(Schema.Struct({ org_id: OrgId, role: RoleName }))
})

const make = Effect.gen(function* () {
  const store = yield* UserStore
  const organizations = yield* Organizations
  const audit = yield* AuditLog
  const ids = yield* Ids
  const { atomically } = yield* Transactor

  const recordCreated = (permit: Permit<"person" | "platform">, { is_admin, user_id }: User) =>
    audit.record(permit, { action: "user.created", org: null, subject: ["user", user_id], detail: { is_admin } })

  /** Only within the permit's scope. */
  const organizationFor = ({ scope }: Permit<"platform">, orgId: OrgId) =>
    Effect.map(
      organizations.find(orgId),
      Option.filter(({ org_id }) => Option.isNone(scope) || scope.value === org_id)
    )

  return {
    /** Without a permit, for features that check access themselves. */
    find: store.find,
    findBySubject: store.findBySubject,
    findByEmail: store.findByEmail,
    membershipsOf: store.membershipsOf,
    oldestOrgAdmin: store.oldestOrgAdmin,
    /** Creates the user of a token. Of two concurrent requests, the second finds the first one's user. */
    register: traced("Users.register")(function* (permit: Permit<"person">, subject: string, email: string) {
      const user_id = yield* ids.make(UserId)
      const made = yield* Effect.asSome(store.insert({ user_id, subject, email, country: null, is_admin: false })).pipe(
        Effect.catchTag("Conflict", () => Effect.succeedNone)
      )
      if (Option.isSome(made)) return yield* Effect.as(recordCreated(permit, made.value), made.value)
      return yield* store
        .findBySubject(subject)
        .pipe(
          orRefuse(
            () => new Conflict({ message: "Another user has this e-mail address. Ask the platform's operator." })
          )
        )
    }),
    create: traced("Users.create")(function* (
      permit: Permit<"platform">,
      { country, email, is_admin, membership, subject }: typeof UserInput.Type
    ) {
      const user_id = yield* ids.make(UserId)
      return yield* atomically(
        Effect.gen(function* () {
          const user = yield* store.insert({ user_id, subject: subject ?? user_id, email, country, is_admin })
          yield* recordCreated(permit, user)
          if (membership === null) return { ...user, org_id: null, role: null }
          const { org_id, role } = membership
          if (Option.isNone(yield* organizationFor(permit, org_id))) {
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
    /** Without a permit, for features that have checked access already. */
    isMember: (orgId: OrgId, userId: UserId) =>
      Effect.map(store.membershipsOf(userId), (memberships) => memberships.some(({ org_id }) => org_id === orgId)),
    list: (permit: Permit<"operations">, window: Window) => store.list(permit.scope, window)
  }
})

export class Users extends Context.Tag("corridor/Users")<Users, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Users, make)
}

export const usersHandlers = Effect.map(
  Effect.all([Users, makePages]),
  ([users, pages]): Handlers<typeof UsersApi> => ({
    list: (request) =>
      pages(request, {
        message: "Users",
        fetch: (window) => users.list(request.permit, window),
        idOf: (user) => user.user_id
      })
  })
)
