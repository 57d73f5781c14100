import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { MembersApi } from "../../contract/api/Members.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makeCamelPages } from "../../platform/pagination/Page.ts"
import { Members } from "./Members.ts"

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
