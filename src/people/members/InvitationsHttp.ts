import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { InvitationsApi } from "../../contract/api/Invitations.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makeCamelPages } from "../../platform/pagination/Page.ts"
import { Invitations } from "./Invitations.ts"

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
