import { Effect } from "effect"
import type { MembersApi, InvitationsApi } from "../../contract/api/MembersApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makeCamelPages } from "../../platform/pagination/Pagination.ts"
import { Members } from "./Members.ts"
import { Invitations } from "./Invitations.ts"

export const membersHandlers = Effect.map(
  Effect.all([Members, makeCamelPages]),
  ([members, pages]): Handlers<typeof MembersApi> => ({
    list: (request) =>
      pages(request, {
        message: "Members",
        fetch: (window) => members.list(request.permit, window),
        idOf: (member) => member.user_id
      }),
    change: ({ path, payload, permit }) =>
      answer("Member changed", members.changeRole(permit, path.user_id, payload.role)),
    remove: ({ path, permit }) => members.remove(permit, path.user_id),
    grant: ({ path, payload, permit }) =>
      answer("Permission granted", members.grant(permit, path.user_id, payload.permission)),
    replace: ({ path, payload, permit }) =>
      answer("Permissions replaced", members.replacePermissions(permit, path.user_id, payload.permissions)),
    revoke: ({ path, permit }) => Effect.asVoid(members.revoke(permit, path.user_id, path.permission)),
    check: ({ path, permit, urlParams }) =>
      answer("Permission checked", members.check(permit, path.user_id, urlParams.permission), (allowed) => ({
        allowed
      }))
  })
)

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
