/** Accepts an invitation: the holder of its token and its e-mail address becomes a member, once. */
import { Effect, Option, Schema } from "effect"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orDefect, orRefuse } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Identity, Permit } from "../../domain/Access.ts"
import { sameAddress } from "../../domain/MailSafeText.ts"
import { Conflict, Forbidden, Invalid, NotFound } from "../../domain/Failure.ts"
import type { User } from "../users/UserStore.ts"
import { Subject, Users } from "../users/Users.ts"
import { InvitationStore, type Invitation, MemberStore } from "./MemberStore.ts"
import { sha256Hex } from "../../domain/Digest.ts"

export const TOKEN_BYTES = 32

export const formatToken = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

/** A plain hash is enough for 256 random bits. */
export const hashToken = (token: string): string => sha256Hex(token)

const isSubject = Schema.is(Subject)

const closedMessages: Readonly<Record<Exclude<Invitation["status"], "pending">, string>> = {
  accepted: "This invitation has already been used.",
  withdrawn: "This invitation was withdrawn. Ask for a new one.",
  expired: "This invitation has expired. Ask for a new one."
}

const forSomeoneElse = () => new Forbidden({ message: "This invitation is for another e-mail address." })

const unverified = () =>
  new Forbidden({
    message: "The access token needs the claims email and email_verified: true for the invited e-mail address."
  })

export const makeAcceptInvitation = Effect.gen(function* () {
  const store = yield* InvitationStore
  const members = yield* MemberStore
  const users = yield* Users
  const audit = yield* AuditLog
  const { atomically } = yield* Transactor

  /** The verified address must match the invitation; for an existing user, the stored address too. */
  const invitee = Effect.fnUntraced(function* (identity: Identity, invited: string) {
    const email = yield* Effect.mapError(identity.email, unverified)
    const existing: Option.Option<User> = yield* users.findBySubject(identity.subject)
    const onRecord = Option.match(existing, { onNone: () => email, onSome: (user) => user.email })
    if (!sameAddress(email, invited) || !sameAddress(onRecord, invited)) return yield* forSomeoneElse()
    return { email, existing }
  })

  const userFor = Effect.fnUntraced(function* (
    permit: Permit<"person">,
    identity: Identity,
    { email, existing }: Effect.Effect.Success<ReturnType<typeof invitee>>
  ) {
    if (Option.isSome(existing)) return existing.value
    if (!isSubject(identity.subject)) {
      return yield* new Invalid({ message: "The claim sub of the token is longer than 255 characters." })
    }
    return yield* users.register(permit, identity.subject, email)
  })

  return Effect.fn("Acceptance.accept")(function* (permit: Permit<"person">, token: string) {
    const { identity } = permit.actor
    if (identity === undefined) return yield* forSomeoneElse()
    return yield* atomically(
      Effect.gen(function* () {
        const { email, invitation_id, org_id, role, status } = yield* store
          .findByHashForUpdate(hashToken(token))
          .pipe(orRefuse(() => new NotFound({ message: "No invitation with this token." })))
        const person = yield* invitee(identity, email)
        if (status !== "pending") return yield* new Conflict({ message: closedMessages[status] })
        const { user_id } = yield* userFor(permit, identity, person)
        if (!(yield* members.add(org_id, user_id, role))) {
          return yield* new Conflict({ message: "You are already a member of this organisation." })
        }
        yield* store.accept(Option.some(org_id), invitation_id, user_id)
        yield* audit.record(permit, {
          action: "member.joined",
          org: org_id,
          subject: ["user", user_id],
          detail: { role, invitation_id }
        })
        return yield* orDefect(Effect.flatten(members.find(org_id, user_id)))
      })
    )
  })
})
