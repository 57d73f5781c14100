import { Effect } from "effect"
import { success } from "../api/Envelope.ts"
import type { InvitationsApi } from "../api/Invitations.ts"
import type { Handlers } from "../http/Handlers.ts"
import { paginateCamel } from "../pagination/CamelPage.ts"
import { Vault } from "../secrets/Vault.ts"
import { Invitations } from "./Invitations.ts"

export const invitationsHandlers = Effect.gen(function* () {
  const invitations = yield* Invitations
  const vault = yield* Vault
  const handlers: Handlers<typeof InvitationsApi> = {
    invite: ({ payload, permit }) =>
      Effect.map(invitations.invite(permit, payload), (made) => success("Invitation sent", made)),
    list: ({ permit, route, urlParams }) =>
      paginateCamel({
        vault,
        permit,
        route,
        asked: urlParams,
        fetch: (window) => invitations.list(permit, window),
        idOf: (invitation) => invitation.invitation_id
      }).pipe(Effect.map((page) => ({ status: "success", message: "Invitations", ...page }))),
    withdraw: ({ path, permit }) => invitations.withdraw(permit, path.invitation_id),
    accept: ({ path, permit }) =>
      Effect.map(invitations.accept(permit, path.token), (member) => success("Invitation accepted", member))
  }
  return handlers
})
