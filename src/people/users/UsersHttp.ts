import { Effect } from "effect"
import type { UsersApi } from "../../contract/api/UsersApi.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { Users } from "./Users.ts"

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
