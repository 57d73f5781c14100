import { Effect } from "effect"
import type { UsersApi } from "../api/Users.ts"
import type { Handlers } from "../http/Handlers.ts"
import { paginate } from "../pagination/Page.ts"
import { Vault } from "../secrets/Vault.ts"
import { Users } from "./Users.ts"

export const usersHandlers = Effect.gen(function* () {
  const users = yield* Users
  const vault = yield* Vault
  const handlers: Handlers<typeof UsersApi> = {
    list: ({ permit, route, urlParams }) =>
      paginate({
        vault,
        permit,
        route,
        asked: urlParams,
        fetch: (window) => users.list(permit, window),
        idOf: (user) => user.user_id
      }).pipe(Effect.map((page) => ({ status: "success", message: "Users", ...page })))
  }
  return handlers
})
