/** Sends, lists and withdraws invitations into an organisation. */
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { Ids, type OrgId } from "../../domain/Ids.ts"
import type { InviteMember, InvitationsApi } from "../../contract/api/MembersApi.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { orDefect, orNotFound, orRefuse } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { type Identity, organizationOf, type Permit } from "../../domain/Access.ts"
import { Conflict, Forbidden, Invalid, NotFound } from "../../domain/Failure.ts"
import { Notifier } from "../../platform/notifications/Notifier.ts"
import { Organizations } from "../organizations/Organizations.ts"
import type { Window } from "../../platform/database/Query.ts"
import { makeRunDetached } from "../../platform/fibers/Shutdown.ts"
import { grantorOf, mayHandleRole } from "./Members.ts"
import { type Invitation, InvitationStore, MemberStore, type OrgMember } from "./MemberStore.ts"
import { asName, sameAddress } from "../../domain/MailSafeText.ts"
import { invitationTtl } from "../../domain/policies/PeoplePolicies.ts"
import type { Message } from "../../platform/notifications/NotificationStore.ts"
import type { Organization } from "../organizations/OrganizationStore.ts"
import type { User } from "../users/UserStore.ts"
import { Subject, Users } from "../users/Users.ts"
import { sha256Hex } from "../../domain/Digest.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makeCamelPages } from "../../platform/pagination/Pagination.ts"
import { traced } from "../../platform/observability/Spans.ts"

const TOKEN_BYTES = 32

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

const makeAcceptInvitation = Effect.gen(function* () {
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

  return traced("Invitations.accept")(function* (permit: Permit<"person">, token: string) {
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

/** `signsIn`: the console leads to the identity provider, so nobody needs a token at hand. */
const invitationMessage = (
  { publicUrl, signsIn }: { readonly publicUrl: string; readonly signsIn: boolean },
  organization: Organization,
  { email, org_id, role }: Invitation,
  token: string
): Message => ({
  to: email,
  subject: `You are invited to ${asName(organization.name)}`,
  text: [
    `You are invited to join ${asName(organization.name)} with the role ${role}.`,
    "",
    signsIn
      ? `To accept, open this page within ${Duration.toDays(invitationTtl)} days and sign in with this e-mail address:`
      : `To accept, open this page within ${Duration.toDays(invitationTtl)} days; it asks for your own access token:`,
    "",
    `${publicUrl}/console#/invitation/${token}`,
    "",
    signsIn ? "Or send, with your access token:" : "Or send, with that token:",
    "",
    `POST ${publicUrl}/v1/organizations/invitations/${token}/accept`,
    "",
    "The invitation works once, and only for you. If you did not expect this message, ignore it."
  ].join("\n"),
  org_id,
  kind: "invitation",
  priority: "medium"
})

type Manager = Permit<"members">

const make = Effect.gen(function* () {
  const store = yield* InvitationStore
  const members = yield* MemberStore
  const organizations = yield* Organizations
  const notifier = yield* Notifier
  const audit = yield* AuditLog
  const ids = yield* Ids
  const { consoleSignIn, publicUrl } = yield* Settings
  const address = { publicUrl, signsIn: Option.isSome(consoleSignIn) }
  const { atomically } = yield* Transactor
  const runDetached = yield* makeRunDetached

  const record = (
    permit: Manager,
    action: string,
    { invitation_id, org_id }: Invitation,
    detail: Readonly<Record<string, unknown>>
  ) => audit.record(permit, { action, org: org_id, subject: ["invitation", invitation_id], detail })

  /** As of now, not as of the start of the request. */
  const grantorIn = Effect.fnUntraced(function* (permit: Manager, org_id: OrgId) {
    const own = Option.isNone(permit.actor.userId)
      ? Option.none<OrgMember>()
      : yield* members.find(org_id, permit.actor.userId.value)
    return yield* grantorOf(permit, Option.getOrUndefined(own))
  })

  /** Neither the offered role nor the inviter's may be above the caller's. */
  const mayWithdraw = Effect.fnUntraced(function* (permit: Manager, { invited_by, org_id, role }: Invitation) {
    const grantor = yield* grantorIn(permit, org_id)
    yield* mayHandleRole(grantor, role, "role")
    const inviter = invited_by === null ? Option.none<OrgMember>() : yield* members.find(org_id, invited_by)
    if (Option.isSome(inviter)) yield* mayHandleRole(grantor, inviter.value.role, "invited_by")
  })

  const insert = Effect.fnUntraced(function* (
    permit: Manager,
    org_id: OrgId,
    { email, role }: typeof InviteMember.Type,
    token: string
  ) {
    const invited_by = Option.getOrNull(permit.actor.userId)
    yield* mayHandleRole(yield* grantorIn(permit, org_id), role, "role")
    if (Option.isSome(yield* members.findByEmail(org_id, email))) {
      return yield* new Conflict({ message: "email: is already the address of a member." })
    }
    const invitation_id = yield* ids.next
    const made = yield* store.insert({
      invitation_id,
      org_id,
      email,
      role,
      invited_by,
      token_hash: hashToken(token)
    })
    if (Option.isNone(made)) {
      return yield* new Conflict({
        message: "email: already has an open invitation; withdraw it to send another."
      })
    }
    yield* record(permit, "member.invited", made.value, { email, role })
    return made.value
  })

  const withdrawUnsent = (permit: Manager, invitation: Invitation) =>
    atomically(
      Effect.zipRight(
        store.withdraw(Option.some(invitation.org_id), invitation.invitation_id),
        record(permit, "invitation.withdrawn", invitation, { reason: "the message could not be sent" })
      )
    )

  const invite = traced("Invitations.invite")(function* (permit: Manager, wanted: typeof InviteMember.Type) {
    const org_id = yield* organizationOf(permit)
    const organization = yield* orNotFound("organisation")(organizations.find(org_id))
    const token = Buffer.from(yield* ids.bytes(TOKEN_BYTES)).toString("base64url")
    const invitation = yield* atomically(insert(permit, org_id, wanted, token))
    // Outside the transaction, which must not wait for a mail server.
    yield* notifier.send(invitationMessage(address, organization, invitation, token)).pipe(
      Effect.tapError(({ message }) => Effect.logWarning(`An invitation could not be sent: ${message}`)),
      Effect.onError(() => Effect.ignoreLogged(withdrawUnsent(permit, invitation))),
      Effect.catchTag(
        "NotificationFailed",
        ({ noServer }) =>
          new Conflict({
            message:
              noServer === true
                ? "The service has no mail server, so no invitation can be sent: its operator sets SMTP_URL and NOTIFY_FROM."
                : "email: the invitation could not be sent to this address and was withdrawn; try again later."
          })
      )
    )
    return invitation
  })

  return {
    invite: (permit: Manager, wanted: typeof InviteMember.Type) => runDetached(invite(permit, wanted)),
    list: (permit: Manager, window: Window) => store.list(permit.scope, window),
    withdraw: traced("Invitations.withdraw")(function* (permit: Manager, id: string) {
      const invitation = yield* orNotFound("invitation")(store.findForUpdate(permit.scope, id))
      yield* mayWithdraw(permit, invitation)
      if (invitation.status === "accepted") {
        return yield* new Conflict({
          message: "This invitation was accepted: remove the member instead."
        })
      }
      if (invitation.status !== "pending") return
      yield* store.withdraw(permit.scope, id)
      yield* record(permit, "invitation.withdrawn", invitation, {})
    }, atomically),
    accept: yield* makeAcceptInvitation
  }
})

export class Invitations extends Context.Tag("corridor/Invitations")<
  Invitations,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.scoped(Invitations, make)
}

export const invitationsHandlers = Effect.map(
  Effect.all([Invitations, makeCamelPages]),
  ([invitations, pages]): Handlers<typeof InvitationsApi> => ({
    invite: ({ payload, permit }) => answer("Invitation sent", invitations.invite(permit, payload)),
    list: (request) =>
      pages(request, {
        message: "Invitations",
        fetch: (window) => invitations.list(request.permit, window),
        idOf: (invitation) => invitation.invitation_id
      }),
    withdraw: ({ path, permit }) => invitations.withdraw(permit, path.invitation_id),
    accept: ({ path, permit }) => answer("Invitation accepted", invitations.accept(permit, path.token))
  })
)
