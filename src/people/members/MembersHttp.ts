import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { MembersApi, InvitationsApi } from "../../contract/api/MembersApi.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makeCamelPages } from "../../platform/pagination/Pagination.ts"
import { Members } from "./Members.ts"
import { Invitations } from "./Invitations.ts"

export const membersHandlers = Effect.gen(function* () {
  const members = yield* Members
  const pages = yield* makeCamelPages
  const handlers: Handlers<typeof MembersApi> = {
    list: (request) => {
      const { permit } = request
      return pages(request, {
        message: "Members",
        fetch: (window) => members.list(permit, window),
        idOf: (member) => member.user_id
      })
    },
    change: ({ path, payload, permit }) =>
      Effect.map(members.changeRole(permit, path.user_id, payload.role), (changed) =>
        success("Member changed", changed)
      ),
    remove: ({ path, permit }) => members.remove(permit, path.user_id),
    grant: ({ path, payload, permit }) =>
      Effect.map(members.grant(permit, path.user_id, payload.permission), (member) =>
        success("Permission granted", member)
      ),
    replace: ({ path, payload, permit }) =>
      Effect.map(members.replacePermissions(permit, path.user_id, payload.permissions), (member) =>
        success("Permissions replaced", member)
      ),
    revoke: ({ path, permit }) => Effect.asVoid(members.revoke(permit, path.user_id, path.permission)),
    check: ({ path, permit, urlParams }) =>
      Effect.map(members.check(permit, path.user_id, urlParams.permission), (allowed) =>
        success("Permission checked", { allowed })
      )
  }
  return handlers
})

export const invitationsHandlers = Effect.gen(function* () {
  const invitations = yield* Invitations
  const pages = yield* makeCamelPages
  const handlers: Handlers<typeof InvitationsApi> = {
    invite: ({ payload, permit }) =>
      Effect.map(invitations.invite(permit, payload), (made) => success("Invitation sent", made)),
    list: (request) => {
      const { permit } = request
      return pages(request, {
        message: "Invitations",
        fetch: (window) => invitations.list(permit, window),
        idOf: (invitation) => invitation.invitation_id
      })
    },
    withdraw: ({ path, permit }) => invitations.withdraw(permit, path.invitation_id),
    accept: ({ path, permit }) =>
      Effect.map(invitations.accept(permit, path.token), (member) => success("Invitation accepted", member))
  }
  return handlers
})
