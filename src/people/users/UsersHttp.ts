import { Effect } from "effect"
import type { UsersApi } from "../../contract/api/UsersApi.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { Users } from "./Users.ts"

export const usersHandlers = Effect.gen(function* () {
  const users = yield* Users
  const pages = yield* makePages
  const handlers: Handlers<typeof UsersApi> = {
    list: (request) => {
      const { permit } = request
      return pages(request, {
        message: "Users",
        fetch: (window) => users.list(permit, window),
        idOf: (user) => user.user_id
      })
    }
  }
  return handlers
})
