/** Invitations from both ends: sent over HTTP, and read out of the sandbox's outbox as the invited person would. */
import { expect } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { type OrgId, UserId, Ids } from "../../../src/domain/Ids.ts"
import { importJWK, type JWTPayload, SignJWT } from "jose"
import { developmentAudience, developmentIssuer, issuerSecret } from "../../../src/people/auth/DevelopmentIssuer.ts"
import type { Role } from "../../../src/domain/Access.ts"
import { InvitationStore, MemberStore } from "../../../src/people/members/MemberStore.ts"
import { NotificationStore } from "../../../src/platform/notifications/NotificationStore.ts"
import { SecretStore } from "../../../src/platform/secrets/Secrets.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { byToken, type Credential } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"

export const membersOf = (org_id: string) => `/v1/organizations/${org_id}/members`

export const invite = (credential: Credential, org_id: OrgId, email: unknown, role: unknown = "member") =>
  post(membersOf(org_id), { ...credential }, { email, role })

export const accept = (credential: Credential, token: string) =>
  send(`/v1/organizations/invitations/${token}/accept`, { method: "POST", headers: { ...credential } })

/** Address of its own: all tests of a suite share one database. */
export const freshAddress = (name: string) =>
  Effect.map(
    Effect.flatMap(Ids, (ids) => ids.next),
    (id) => `${name}.${id.slice(-12)}@people.example`
  )

/** Token in the newest message to an address. */
export const tokenSentTo = (email: string) =>
  Effect.gen(function* () {
    const outbox = yield* NotificationStore
    const messages = yield* outbox.list(Option.none(), { after: Option.none(), take: 1000 })
    const text = messages.find(({ kind, to }) => kind === "invitation" && to === email)?.text ?? ""
    const token = /invitations\/([\w-]{43})\/accept/.exec(text)?.[1]
    expect(token, `the message to ${email}: ${text}`).toBeDefined()
    expect(text).toContain(`/console#/invitation/${token}\n`)
    return token ?? ""
  })

export const invited = (credential: Credential, org_id: OrgId, email: string, role: Role = "member") =>
  Effect.gen(function* () {
    const answer = yield* invite(credential, org_id, email, role)
    expect(answer.status, answer.text).toBe(201)
    const { data } = bodyOf(answer) as { readonly data: { readonly invitation_id: string } }
    return { invitation_id: data.invitation_id, token: yield* tokenSentTo(email) }
  })

/** One that can be accepted, whatever there was before. */
export const invitedAgain = (credential: Credential, org_id: OrgId, email: string) =>
  Effect.gen(function* () {
    const members = yield* MemberStore
    const invitations = yield* InvitationStore
    const scope = Option.some(org_id)
    const joined = yield* members.findByEmail(org_id, email)
    if (Option.isSome(joined)) yield* members.remove(org_id, joined.value.user_id)
    for (const { email: other, invitation_id } of yield* invitations.list(scope, {
      after: Option.none(),
      take: 1000
    })) {
      if (other === email) yield* invitations.withdraw(scope, invitation_id)
    }
    return yield* invited(credential, org_id, email)
  })

/** A token as an identity provider issues it that verifies addresses, with whatever claims it puts in. */
export const tokenWith = (claims: JWTPayload) =>
  Effect.gen(function* () {
    const secrets = yield* SecretStore
    const vault = yield* Vault
    const sealed = Option.getOrThrow(yield* secrets.find(issuerSecret))
    const jwk = JSON.parse(yield* vault.decrypt(sealed, issuerSecret)) as Readonly<Record<string, string>>
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const standard = { iss: developmentIssuer, aud: developmentAudience, iat: now, exp: now + 600 }
    const payload = { ...standard, email_verified: true, ...claims }
    const header = { alg: "ES256", kid: jwk["kid"] ?? "" }
    return yield* Effect.promise(async () =>
      byToken(await new SignJWT(payload).setProtectedHeader(header).sign(await importJWK({ ...jwk }, "ES256")))
    )
  })

/** Someone of the organisation with a token of their own. */
export const joined = (org_id: OrgId, role: Role) =>
  Effect.gen(function* () {
    const users = yield* UserStore
    const user_id = yield* Effect.flatMap(Ids, (ids) => ids.make(UserId))
    const email = yield* freshAddress(role)
    yield* users.insert({ user_id, subject: `idp|${user_id}`, email, country: "KE", is_admin: false })
    yield* users.putMember({ org_id, user_id, role })
    return { user_id, email, credential: yield* tokenWith({ sub: `idp|${user_id}`, org_id, email }) }
  })
